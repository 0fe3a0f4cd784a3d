//! Reads an N5 volume through ordinary zarrs calls: prints the hierarchy, reads one array, writes a
//! slice as a PNG.
//!
//! ```text
//! cargo run --release --example read_n5                                     # the volume in this repository
//! cargo run --release --example read_n5 -- PATH [DATASET] [--slice AXIS=INDEX] [-o PICTURE]
//! ```
//!
//! `PATH` is the folder of an N5 hierarchy. `DATASET` is a path in it, by default that of the first
//! array. `AXIS` is a dimension name or number (dimension 0 is N5's fastest); by default the middle
//! of the last dimension is shown. `PICTURE` is by default `read_n5_slice.png` in the current
//! folder; what is there is replaced.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_lossless,
    reason = "figures and grey values to look at"
)]

#[path = "support/picture.rs"]
mod picture;
#[path = "support/statistics.rs"]
mod statistics;
#[path = "support/terminal.rs"]
mod terminal;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use zarrs::array::{Array, ArraySubset};
use zarrs::filesystem::FilesystemStore;
use zarrs::metadata::v3::{ArrayMetadataV3, MetadataV3};
use zarrs::metadata::{ArrayMetadata, GroupMetadata};
use zarrs::node::{Node, NodeMetadata};
use zarrs_interop::n5::{ImplicitGroupStore, N5DefaultStore, Unconvertible};

type Store = ImplicitGroupStore<N5DefaultStore<FilesystemStore>>;
type Result<T> = std::result::Result<T, Box<dyn Error>>;

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/n5_demo/volume.n5");
const PICTURE: &str = "read_n5_slice.png";
const USAGE: &str = "usage: read_n5 [PATH [DATASET]] [--slice AXIS=INDEX] [-o PICTURE]";

/// Memory of the system's allocator comes and goes with every block, and with it the time for new
/// pages.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    terminal::main(run)
}

fn run() -> Result<()> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let path = Path::new(&arguments.path);
    if !path.is_dir() {
        return Err(format!("{} is not a folder\n{USAGE}", path.display()).into());
    }

    println!("{}", path.canonicalize()?.display());
    // Datasets that cannot be read are left out of the tree; opening one of them says why.
    let root = Node::open(&open(path, Unconvertible::Hidden)?, "/")?;
    print_tree(&root, 0);
    let dataset = match &arguments.dataset {
        Some(dataset) => format!("/{}", dataset.trim_matches('/')),
        None => first_array(&root).ok_or("there is no dataset that can be read")?,
    };

    if is_group(&root, &dataset) {
        return Err(format!("{dataset} is a group: choose one of the datasets above").into());
    }
    let array = Array::open(open(path, Unconvertible::Error)?, &dataset)
        .map_err(|error| format!("cannot open {dataset} as a dataset: {error}"))?;
    if array.shape().contains(&0) {
        println!(
            "\n{dataset}: shape {:?}, no elements to read",
            array.shape()
        );
        return Ok(());
    }
    // Before the whole is read, which may take long.
    let subset = arguments.slice.subset(&array)?;
    let start = Instant::now();
    let statistics = statistics::of_array(&array).map_err(|error| error as Box<dyn Error>)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("\n{dataset}: shape {:?}", array.shape());
    println!(
        "min {}, max {}, mean {:.3}",
        statistics.min, statistics.max, statistics.mean
    );
    println!(
        "read {:.3} MB in {seconds:.3} s: {:.1} MB/s",
        statistics.bytes as f64 / 1e6,
        statistics.bytes as f64 / 1e6 / seconds
    );

    let picture = &arguments.picture;
    picture::write_slice(&array, &subset, Path::new(picture))
        .map_err(|error| format!("cannot write {picture}: {error}"))?;
    println!("slice {subset}: {picture}");
    Ok(())
}

fn open(path: &Path, unconvertible: Unconvertible) -> Result<Arc<Store>> {
    let n5 = N5DefaultStore::new(FilesystemStore::new(path)?).with_unconvertible(unconvertible);
    Ok(Arc::new(ImplicitGroupStore::new(n5)))
}

struct Arguments {
    path: String,
    dataset: Option<String>,
    slice: Slice,
    picture: String,
}

impl Arguments {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut positional = Vec::new();
        let mut slice = Slice::Middle;
        let mut picture = PICTURE.to_owned();
        let mut arguments = arguments.peekable();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--slice" => {
                    let text = arguments.next().ok_or("--slice needs AXIS=INDEX")?;
                    slice = Slice::parse(&text)?;
                }
                "-o" => picture = arguments.next().ok_or("-o needs the name of a file")?,
                "-h" | "--help" => {
                    println!("{USAGE}");
                    std::process::exit(0);
                }
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}\n{USAGE}").into());
                }
                _ => positional.push(argument),
            }
        }
        if positional.len() > 2 {
            return Err(format!("too many arguments: {positional:?}\n{USAGE}").into());
        }
        let mut positional = positional.into_iter();
        Ok(Self {
            path: positional.next().unwrap_or_else(|| DEMO.to_owned()),
            dataset: positional.next(),
            slice,
            picture,
        })
    }
}

enum Slice {
    Middle,
    At { axis: String, index: u64 },
}

impl Slice {
    fn parse(text: &str) -> Result<Self> {
        let wrong = || format!("--slice {text}: expected AXIS=INDEX, for example z=16 or 2=16");
        let (axis, index) = text.split_once('=').ok_or_else(wrong)?;
        Ok(Self::At {
            axis: axis.to_owned(),
            index: index.parse().map_err(|_| wrong())?,
        })
    }

    /// A plane of the first two other dimensions, in the middle of all the rest.
    fn subset(&self, array: &Array<Store>) -> Result<ArraySubset> {
        let shape = array.shape();
        let last = shape.len() - 1;
        let (axis, index) = match self {
            Self::Middle => (last, shape[last] / 2),
            Self::At { axis, index } => (axis_number(array, axis)?, *index),
        };
        if index >= shape[axis] {
            let size = shape[axis];
            return Err(format!("index {index} of axis {axis}: expected less than {size}").into());
        }
        let is_plane = shape.len() < 3 && matches!(self, Self::Middle);
        let mut shown = 0;
        let ranges: Vec<_> = (0..shape.len())
            .map(|other| {
                if is_plane || (other != axis && shown < 2) {
                    shown += 1;
                    0..shape[other]
                } else {
                    let at = if other == axis {
                        index
                    } else {
                        shape[other] / 2
                    };
                    at..at + 1
                }
            })
            .collect();
        Ok(ArraySubset::new_with_ranges(&ranges))
    }
}

fn axis_number(array: &Array<Store>, name: &str) -> Result<usize> {
    let names = array.dimension_names().clone().unwrap_or_default();
    let by_name = names.iter().position(|axis| axis.as_deref() == Some(name));
    by_name
        .or_else(|| name.parse().ok())
        .filter(|&axis| axis < array.dimensionality())
        .ok_or_else(|| {
            let rank = array.dimensionality();
            format!("there is no axis {name}: expected a number below {rank} or one of {names:?}")
                .into()
        })
}

fn is_group(node: &Node, path: &str) -> bool {
    let is_this = node.path().as_str() == path && matches!(node.metadata(), NodeMetadata::Group(_));
    is_this || node.children().iter().any(|child| is_group(child, path))
}

fn first_array(node: &Node) -> Option<String> {
    if matches!(node.metadata(), NodeMetadata::Array(_)) {
        return Some(node.path().as_str().to_owned());
    }
    sorted_children(node).into_iter().find_map(first_array)
}

fn print_tree(node: &Node, depth: usize) {
    let name = match node.path().as_str().rsplit('/').next() {
        Some("") | None => "/",
        Some(name) => name,
    };
    let indent = "  ".repeat(depth);
    match node.metadata() {
        NodeMetadata::Array(ArrayMetadata::V3(array)) => {
            println!("{indent}{name}  {}", describe(array));
        }
        NodeMetadata::Group(GroupMetadata::V3(group)) => {
            println!("{indent}{name}{}", brief(&group.attributes));
        }
        _ => println!("{indent}{name}  (Zarr V2)"),
    }
    for child in sorted_children(node) {
        print_tree(child, depth + 1);
    }
}

/// A folder lists its contents in no order.
fn sorted_children(node: &Node) -> Vec<&Node> {
    let mut children: Vec<&Node> = node.children().iter().collect();
    children.sort_by_key(|child| child.path().as_str());
    children
}

fn describe(array: &ArrayMetadataV3) -> String {
    let member = |metadata: &MetadataV3, name: &str| {
        let configuration = metadata.configuration()?;
        configuration.get(name).cloned()
    };
    let block = member(&array.chunk_grid, "chunk_shape").unwrap_or_default();
    let inner = array
        .codecs
        .first()
        .and_then(|codec| member(codec, "codecs"));
    let compression = inner
        .as_ref()
        .and_then(|codecs| codecs.get(2)?.get("name")?.as_str())
        .unwrap_or("raw");
    format!(
        "{:?} block {block} {} {compression}{}",
        array.shape,
        array.data_type.name(),
        brief(&array.attributes)
    )
}

fn brief(attributes: &serde_json::Map<String, serde_json::Value>) -> String {
    const MOST: usize = 100;
    if attributes.is_empty() {
        return String::new();
    }
    let members: Vec<String> = attributes
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let text = members.join(", ");
    if text.chars().count() <= MOST {
        return format!("  {{{text}}}");
    }
    let start: String = text.chars().take(MOST).collect();
    format!("  {{{start}…}}")
}
