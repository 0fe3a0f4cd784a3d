//! The folder of the output: where shards are, which are whole, and what was left aside of them.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::aside::PARTIAL;
use super::error::RewriteError;
use super::file::{file_error, names};
use super::grid::ShardGrid;
use super::options::Part;

/// The folder of chunks of an array, by the key encoding `default`.
const CHUNKS: &str = "c";

/// The file of the shard at `position`.
pub(super) fn shard_path(array: &Path, position: &[u64]) -> PathBuf {
    let mut path = array.join(CHUNKS);
    for at in position {
        path.push(at.to_string());
    }
    path
}

/// Whether a shard is whole: only whole ones have its name.
pub(super) fn is_whole(shard: &Path) -> Result<bool, RewriteError> {
    match fs::metadata(shard) {
        Ok(file) => Ok(file.is_file()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(file_error("look at", shard)(error)),
    }
}

/// Removes what interrupted runs left aside of the shards of a part, all of which are done. The
/// first is number `before` of all shards of the phase. Returns how many files that were.
///
/// What other parts write aside now is theirs.
pub(super) fn remove_leftovers(
    array: &Path,
    grid: &ShardGrid,
    before: u64,
    part: Part,
) -> Result<u64, RewriteError> {
    let mut removed = 0;
    let mut folders = vec![(array.join(CHUNKS), Vec::new())];
    while let Some((folder, position)) = folders.pop() {
        for name in names(&folder)? {
            if let Ok(at) = name.parse::<u64>() {
                if position.len() + 1 < grid.array().len() {
                    let mut position = position.clone();
                    position.push(at);
                    folders.push((folder.join(&name), position));
                }
                continue;
            }
            let at = name
                .strip_prefix('.')
                .filter(|name| name.ends_with(PARTIAL))
                .and_then(|name| name.split('.').next()?.parse::<u64>().ok());
            let Some(at) = at else { continue };
            let mut position = position.clone();
            position.push(at);
            let is_ours = grid
                .number(&position)
                .is_some_and(|number| (before + number) % part.count() == part.index());
            if is_ours {
                let leftover = folder.join(&name);
                match fs::remove_file(&leftover) {
                    Ok(()) => removed += 1,
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => return Err(file_error("remove", &leftover)(error)),
                }
            }
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> ShardGrid {
        ShardGrid::new(vec![8, 8], vec![4, 4], vec![2, 2], 1).unwrap()
    }

    #[test]
    fn only_leftovers_of_the_own_part_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        for (position, kept) in [([0, 0], false), ([0, 1], true), ([1, 0], false)] {
            let path = shard_path(folder.path(), &position);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let name = format!(".{}.00ff.partial", position[1]);
            fs::write(path.with_file_name(name), b"half").unwrap();
            fs::write(path.with_file_name(format!("kept {kept}")), b"").unwrap();
        }
        fs::write(shard_path(folder.path(), &[1, 1]), b"whole").unwrap();
        let part = Part::new(0, 2).unwrap();
        assert_eq!(
            remove_leftovers(folder.path(), &grid(), 0, part).unwrap(),
            2
        );
        let left = names(&folder.path().join("c/0")).unwrap();
        assert!(left.contains(&".1.00ff.partial".to_owned()), "{left:?}");
        assert!(is_whole(&shard_path(folder.path(), &[1, 1])).unwrap());
    }

    #[test]
    fn without_a_folder_there_are_no_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let removed = remove_leftovers(folder.path(), &grid(), 0, Part::WHOLE);
        assert_eq!(removed.unwrap(), 0);
    }
}
