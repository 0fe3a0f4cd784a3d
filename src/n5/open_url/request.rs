//! One request for a value, sent again where its answer was cut off.

use object_store::path::Path;
use object_store::{Error, GetOptions, GetRange, ObjectMeta, Result as ObjectResult};
use zarrs_storage::{Bytes, StoreKey};

use super::again::{Again, is_cut_off};
use super::body::{self, Most, Part, Unread};
use super::error::{Reason, UrlError};
use super::objects::Objects;
use super::places::Kind;
use super::status::{self, Seen};

/// An answer, whose bytes are there or not.
struct Answer {
    /// The size of what was asked for in bytes, as the answer says.
    expected: u64,
    of: ObjectMeta,
    bytes: Result<Bytes, Unread<Error>>,
}

impl Objects {
    /// A value or a range of it; `None` if there is no such key.
    pub(super) async fn request(
        &self,
        key: &StoreKey,
        range: Option<GetRange>,
    ) -> Result<Option<Part>, UrlError> {
        let path = self.path(key.as_str())?;
        let options = GetOptions {
            range,
            ..GetOptions::default()
        };
        if self.place.kind == Kind::File {
            self.place.counters.add_request();
            self.check_file(key, &path).await?;
        }
        let most = Most::of(key.as_str());
        let mut again = Again::new(self.retries);
        let (answer, seen) = loop {
            let work = self.answer(&path, options.clone(), most);
            let (answer, seen) = status::observed(work).await;
            again.add(seen);
            let is_again = match &answer {
                // The library may have asked for the rest, if the server says by an `ETag` what it
                // belongs to; now all is asked for.
                Ok(answer) => {
                    self.place.kind != Kind::File && matches!(answer.bytes, Err(Unread::Cut(_)))
                }
                Err(error) => is_cut_off(error, seen),
            };
            if !is_again || !again.may().await {
                break (answer, again.in_all(seen));
            }
        };
        let Answer {
            expected,
            of,
            bytes,
        } = match answer {
            Ok(answer) => answer,
            Err(error) if self.is_missing(&error, seen) => return Ok(None),
            Err(error) => return Err(self.failed("read", key.as_str(), error, seen)),
        };
        let reason = match bytes {
            Ok(bytes) => {
                let found = bytes.len() as u64;
                self.place.counters.add_bytes(found);
                if found == expected {
                    return Ok(Some(Part { bytes, of }));
                }
                Reason::Length { expected, found }
            }
            Err(Unread::Cut(error)) => {
                return Err(self.failed("read", key.as_str(), error, seen));
            }
            Err(Unread::TooLarge(found)) if found <= most.bytes => {
                Reason::Length { expected, found }
            }
            Err(Unread::TooLarge(found)) => Reason::TooLarge { found, most },
            Err(Unread::NoMemory(size)) => Reason::NoMemory { size },
        };
        Err(self.error("read", key.as_str(), reason, Seen::default()))
    }

    async fn answer(&self, path: &Path, options: GetOptions, most: Most) -> ObjectResult<Answer> {
        let answer = self.place.objects.get_opts(path, options).await?;
        Ok(Answer {
            expected: answer.range.end.saturating_sub(answer.range.start),
            of: answer.meta.clone(),
            bytes: body::read(answer, most).await,
        })
    }
}
