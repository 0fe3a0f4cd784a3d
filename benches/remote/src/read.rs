//! One read in one process: seconds without opening the dataset, and the most memory.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use zarrs::array::{Array, ArraySubset, CodecOptions};
use zarrs_interop::n5::{self, N5DefaultStore, RegionReader, UrlOptions};
use zarrs_object_store::AsyncObjectStore;
use zarrs_object_store::object_store::ClientOptions;
use zarrs_object_store::object_store::http::HttpBuilder;

use crate::Result;
use crate::data::{Element, Layout, Volume};

pub(crate) fn read(way: &str, url: &str, path: &str, start: &str, shape: &str) -> Result<()> {
    let numbers = |text: &str| -> Result<Vec<u64>> {
        Ok(text
            .split(',')
            .map(str::parse)
            .collect::<std::result::Result<_, _>>()?)
    };
    let subset = ArraySubset::new_with_start_shape(numbers(start)?, numbers(shape)?)?;
    let options = options(way);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let (edge, read, seconds, cpu) = match way {
        "region" => {
            let array = n5::open_array(n5::open_url(url, &UrlOptions::new())?, path)?;
            let reader = RegionReader::new(&array)?;
            timed(&array, || {
                runtime.block_on(reader.async_read::<u8>(&subset))
            })?
        }
        "region_sync" => {
            let array = n5::open_array(n5::open_url(url, &UrlOptions::new())?, path)?;
            let reader = RegionReader::new(&array)?.with_concurrency(32);
            timed(&array, || reader.read::<u8>(&subset))?
        }
        "zarrs" | "zarrs_32" => {
            let array = n5::open_array(n5::open_url(url, &UrlOptions::new())?, path)?;
            let read = array.async_retrieve_array_subset_opt(&subset, &options);
            timed(&array, || runtime.block_on(read))?
        }
        // As it was before there was `open_url`: zarrs's own adapter.
        "adapter" | "adapter_32" => {
            let client = ClientOptions::new().with_allow_http(true);
            let store = HttpBuilder::new()
                .with_url(url)
                .with_client_options(client)
                .build()?;
            let store = Arc::new(N5DefaultStore::new(AsyncObjectStore::new(store)));
            let path = format!("/{path}");
            let array = runtime.block_on(Array::async_open(store, &path))?;
            let read = array.async_retrieve_array_subset_opt(&subset, &options);
            timed(&array, || runtime.block_on(read))?
        }
        _ => return Err(format!("there is no way {way}").into()),
    };
    let memory = peak_memory()?;
    check(&read, edge, &subset)?;
    println!(
        "{}",
        json!({"seconds": seconds, "cpu": cpu, "memory": memory, "bytes_read": read.len()})
    );
    Ok(())
}

fn options(way: &str) -> CodecOptions {
    let options = CodecOptions::default();
    if way.ends_with("_32") {
        return options.with_concurrent_target(32);
    }
    options
}

/// The edge of the array, what `read` gives, and how long that took: by the clock and by this
/// process.
fn timed<S: ?Sized, E: std::error::Error + 'static>(
    array: &Array<S>,
    read: impl FnOnce() -> std::result::Result<Vec<u8>, E>,
) -> Result<(u64, Vec<u8>, f64, f64)> {
    let (begun, cpu) = (Instant::now(), cpu_seconds()?);
    let read = read()?;
    let edge = *array.shape().first().ok_or("an array without dimensions")?;
    Ok((
        edge,
        read,
        begun.elapsed().as_secs_f64(),
        cpu_seconds()? - cpu,
    ))
}

/// The CPU time of this process, in ticks of 10 ms.
fn cpu_seconds() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').ok_or("no /proc/self/stat")?;
    let ticks = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(str::parse::<f64>);
    Ok(ticks.sum::<std::result::Result<f64, _>>()? / 100.0)
}

/// In bytes.
fn peak_memory() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
    Ok(peak.ok_or("no VmHWM")?.trim().parse::<u64>()? * 1024)
}

/// Compares a read with the volume.
fn check(read: &[u8], edge: u64, subset: &ArraySubset) -> Result<()> {
    let triple = |numbers: &[u64]| -> Result<[usize; 3]> {
        let numbers: Vec<usize> = numbers
            .iter()
            .map(|&number| usize::try_from(number))
            .collect::<std::result::Result<_, _>>()?;
        numbers
            .try_into()
            .map_err(|_| "a volume has 3 dimensions".into())
    };
    let volume = Volume::new(Element::U8, triple(&[edge; 3])?);
    let expected = volume.bytes(triple(subset.start())?, triple(subset.shape())?, Layout::C);
    if read != expected {
        return Err("read other elements than were written".into());
    }
    Ok(())
}
