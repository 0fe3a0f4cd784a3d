//! Squares of elements transposed in vector registers, in the safe functions of `wide`.

#![expect(
    clippy::inline_always,
    reason = "one call for each register would cost more than the work, and whether the compiler inlines them by itself changes with code elsewhere"
)]

use wide::{u8x16, u16x8, u32x4, u64x2};

/// Sixteen bytes, as many as a vector register holds.
pub(super) type Piece = [u8; 16];

/// A vector register of `N` elements of `Z` bytes, 16 bytes in all.
pub(super) trait Lanes<const N: usize, const Z: usize>: Copy {
    /// Loads 16 bytes; between this and `store` the bytes of each element change to the other order, if the host is
    /// little-endian.
    fn load(piece: Piece) -> Self;
    fn store(self) -> Piece;
    /// Element `i` of register `j` becomes element `j` of register `i`.
    fn transpose(square: [Self; N]) -> [Self; N];
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

    // Each round moves one bit of the register number into the element number, so four rounds exchange the two.
    #[inline(always)]
    fn transpose(square: [Self; 16]) -> [Self; 16] {
        #[inline(always)]
        fn round(square: [u8x16; 16]) -> [u8x16; 16] {
            std::array::from_fn(|i| {
                let (low, high) = (square[i / 2], square[i / 2 + 8]);
                if i % 2 == 0 {
                    u8x16::unpack_low(low, high)
                } else {
                    u8x16::unpack_high(low, high)
                }
            })
        }
        round(round(round(round(square))))
    }
}

/// The other sizes. `$load` and `$store` swap bytes: of 4-byte elements one does the halves and one the whole, as the
/// compiler would make a slower sequence of the two together.
macro_rules! lanes {
    ($($lanes:ident, $element:ty, $n:literal, $z:literal, $load:expr, $store:expr;)*) => {$(
        impl Lanes<$n, $z> for $lanes {
            #[inline(always)]
            fn load(piece: Piece) -> Self {
                let (elements, _) = piece.as_chunks::<$z>();
                let native = $lanes::new(std::array::from_fn(|i| <$element>::from_ne_bytes(elements[i])));
                if cfg!(target_endian = "little") { $load(native) } else { native }
            }

            #[inline(always)]
            fn store(self) -> Piece {
                let this = if cfg!(target_endian = "little") { $store(self) } else { self };
                let mut bytes = [0; 16];
                for (bytes, element) in bytes.as_chunks_mut::<$z>().0.iter_mut().zip(this.to_array()) {
                    *bytes = element.to_ne_bytes();
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
