//! Transposes squares of elements in vector registers, with the safe functions of `wide`.

#![expect(
    clippy::inline_always,
    reason = "a call per register costs more than its work, and whether the compiler inlines \
              without being told changes with unrelated code"
)]

use wide::{u8x16, u16x8, u32x4, u64x2};

/// The bytes of one vector register.
pub(super) type Piece = [u8; 16];

/// A vector register of `LANES` elements of `SIZE` bytes, 16 bytes in all.
pub(super) trait Lanes<const LANES: usize, const SIZE: usize>: Copy {
    /// Loads 16 bytes. On a little-endian host `load` and `store` together swap the bytes of each
    /// element.
    fn load(piece: Piece) -> Self;
    fn store(self) -> Piece;
    /// Moves element `i` of register `j` to element `j` of register `i`.
    fn transpose(square: [Self; LANES]) -> [Self; LANES];
}

impl Lanes<16, 1> for u8x16 {
    #[inline(always)]
    fn load(piece: Piece) -> Self {
        u8x16::new(piece)
    }

    #[inline(always)]
    fn store(self) -> Piece {
        self.to_array()
    }

    // Each round moves one bit of the register number to the element number; four rounds exchange
    // the two numbers.
    #[inline(always)]
    fn transpose(square: [Self; 16]) -> [Self; 16] {
        #[inline(always)]
        fn round(square: [u8x16; 16]) -> [u8x16; 16] {
            // A loop, as `array::from_fn` is not always inlined with a closure of this size: in
            // some builds `u8` rows then took three times as long.
            let mut out = square;
            for (i, pair) in out.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let (low, high) = (square[i], square[i + 8]);
                *pair = [u8x16::unpack_low(low, high), u8x16::unpack_high(low, high)];
            }
            out
        }
        round(round(round(round(square))))
    }
}

/// The other sizes. `$load` and `$store` swap bytes. For 4-byte elements one swaps within the
/// halves and the other swaps the halves, as the compiler merges the two into a slower sequence
/// where they stand together.
macro_rules! lanes {
    ($($lanes:ident, $element:ty, $n:literal, $z:literal, $load:expr, $store:expr;)*) => {$(
        impl Lanes<$n, $z> for $lanes {
            #[inline(always)]
            fn load(piece: Piece) -> Self {
                let (elements, _) = piece.as_chunks::<$z>();
                let native = |i: usize| <$element>::from_ne_bytes(elements[i]);
                let native = $lanes::new(std::array::from_fn(native));
                if cfg!(target_endian = "little") { $load(native) } else { native }
            }

            #[inline(always)]
            fn store(self) -> Piece {
                let this = if cfg!(target_endian = "little") { $store(self) } else { self };
                let mut bytes = [0; 16];
                let places = bytes.as_chunks_mut::<$z>().0;
                for (place, element) in places.iter_mut().zip(this.to_array()) {
                    *place = element.to_ne_bytes();
                }
                bytes
            }

            #[inline(always)]
            fn transpose(square: [Self; $n]) -> [Self; $n] {
                $lanes::transpose(square)
            }
        }
    )*};
}

lanes! {
    u16x8, u16, 8, 2, |x: u16x8| (x << 8_u32) | (x >> 8_u32), |x| x;
    u32x4, u32, 4, 4, |x: u32x4| {
        let low = u32x4::splat(0x00ff_00ff);
        ((x & low) << 8_u32) | ((x >> 8_u32) & low)
    }, |x: u32x4| (x << 16_u32) | (x >> 16_u32);
    u64x2, u64, 2, 8, |x: u64x2| u64x2::new(x.to_array().map(u64::swap_bytes)), |x| x;
}
