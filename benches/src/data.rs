//! The volumes that all benchmarks read and write: smooth plus noise, so that gzip about halves
//! them.
//!
//! Every element is a function of its position, so each program makes the same volume and can check
//! what it has read. Axis order: dimension 0 first, as in N5. Needs nothing but the standard
//! library; `benches/peers` shares it.
#![allow(
    unreachable_pub,
    reason = "shared with benches/peers, where it is a private module"
)]

/// Three numbers, dimension 0 first, in elements or in blocks.
pub type Triple = [usize; 3];

/// The element types that are measured: one of each size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    U8,
    U16,
    F32,
    U64,
}

/// In which order and byte order the elements of a box stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Big-endian, dimension 0 fastest.
    N5,
    /// Native-endian, the last dimension fastest.
    C,
}

impl Element {
    pub const ALL: [Self; 4] = [Self::U8, Self::U16, Self::F32, Self::U64];

    /// The name in attributes.json and in zarr.json.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "uint8",
            Self::U16 => "uint16",
            Self::F32 => "float32",
            Self::U64 => "uint64",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.name() == name)
    }

    /// In bytes.
    pub const fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::F32 => 4,
            Self::U64 => 8,
        }
    }

    /// Appends an element of `smooth` (12 bits) and as much of `noise` as makes gzip level 6 halve
    /// the data.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "the float has 15 bits; the byte may wrap, which changes nothing"
    )]
    fn push(self, smooth: u64, noise: u64, layout: Layout, out: &mut Vec<u8>) {
        macro_rules! push {
            ($value:expr) => {
                match layout {
                    Layout::N5 => out.extend_from_slice(&$value.to_be_bytes()),
                    Layout::C => out.extend_from_slice(&$value.to_ne_bytes()),
                }
            };
        }
        match self {
            Self::U8 => push!(((smooth >> 4) + (noise & 0x3)) as u8),
            Self::U16 => push!(((smooth >> 1) + (noise & 0x7)) as u16),
            Self::F32 => push!((((smooth >> 2) << 4) + (noise & 0xff)) as f32 / 16.0),
            Self::U64 => push!((smooth << 16) + (noise & 0xfff)),
        }
    }
}

/// A volume of `shape` elements.
pub struct Volume {
    pub element: Element,
    pub shape: Triple,
    /// The smooth part is the sum of one wave along each axis.
    waves: [Vec<u64>; 3],
}

impl Volume {
    pub fn new(element: Element, shape: Triple) -> Self {
        let waves = [(shape[0], 37.0), (shape[1], 53.0), (shape[2], 71.0)]
            .map(|(length, period)| wave(length, period));
        Self {
            element,
            shape,
            waves,
        }
    }

    /// The size of the whole volume in bytes.
    pub fn byte_size(&self) -> usize {
        self.shape.iter().product::<usize>() * self.element.size()
    }

    /// All elements in C order.
    pub fn elements(&self) -> Vec<u8> {
        self.bytes([0; 3], self.shape, Layout::C)
    }

    /// The elements of the box at `start`; zero outside the volume.
    pub fn bytes(&self, start: Triple, shape: Triple, layout: Layout) -> Vec<u8> {
        let mut out = Vec::with_capacity(shape.iter().product::<usize>() * self.element.size());
        match layout {
            Layout::N5 => {
                for z in 0..shape[2] {
                    for y in 0..shape[1] {
                        for x in 0..shape[0] {
                            self.push(start, [x, y, z], layout, &mut out);
                        }
                    }
                }
            }
            Layout::C => {
                for x in 0..shape[0] {
                    for y in 0..shape[1] {
                        for z in 0..shape[2] {
                            self.push(start, [x, y, z], layout, &mut out);
                        }
                    }
                }
            }
        }
        out
    }

    fn push(&self, start: Triple, offset: Triple, layout: Layout, out: &mut Vec<u8>) {
        let at = [0, 1, 2].map(|axis| start[axis] + offset[axis]);
        if std::iter::zip(at, self.shape).any(|(at, size)| at >= size) {
            out.resize(out.len() + self.element.size(), 0);
            return;
        }
        let smooth = self.waves[0][at[0]] + self.waves[1][at[1]] + self.waves[2][at[2]];
        let number = (at[0] * self.shape[1] + at[1]) * self.shape[2] + at[2];
        self.element.push(smooth, noise(number as u64), layout, out);
    }
}

/// A sine between 0 and 1365, so that three of them make 12 bits.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "small and positive"
)]
fn wave(length: usize, period: f64) -> Vec<u64> {
    (0..length)
        .map(|at| 682.5 * (1.0 + (at as f64 / period).sin()))
        .map(|value| value as u64)
        .collect()
}

/// `splitmix64`: a number that looks random.
fn noise(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The default-mode header of an N5 block.
///
/// # Panics
/// If a dimension does not fit 32 bits.
pub fn n5_header(shape: Triple) -> Vec<u8> {
    let mut header = vec![0, 0, 0, 3];
    for size in shape {
        let size = u32::try_from(size).expect("a block dimension has 32 bits");
        header.extend_from_slice(&size.to_be_bytes());
    }
    header
}

/// The grid positions of the blocks that cover `shape`.
pub fn grid(shape: Triple, block: Triple) -> impl Iterator<Item = Triple> {
    let [nx, ny, nz] = [0, 1, 2].map(|axis| shape[axis].div_ceil(block[axis]));
    (0..nx).flat_map(move |x| (0..ny).flat_map(move |y| (0..nz).map(move |z| [x, y, z])))
}

/// Whether the blocks at the edge of a volume end with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edges {
    /// They end with the volume, as Java writes them.
    Truncated,
    /// They have the full shape, with zeros beyond the volume.
    Padded,
}

impl Edges {
    pub const ALL: [Self; 2] = [Self::Truncated, Self::Padded];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Padded => "padded",
        }
    }

    /// The shape of the block that starts at `start`.
    pub fn block_shape(self, shape: Triple, block: Triple, start: Triple) -> Triple {
        match self {
            Self::Truncated => [0, 1, 2].map(|axis| block[axis].min(shape[axis] - start[axis])),
            Self::Padded => block,
        }
    }
}

/// The attributes.json of a dataset; `compression` is its JSON object.
pub fn attributes(element: Element, shape: Triple, block: Triple, compression: &str) -> String {
    let data_type = element.name();
    format!(
        r#"{{"dimensions":{shape:?},"blockSize":{block:?},"dataType":"{data_type}","compression":{compression}}}"#
    )
}
