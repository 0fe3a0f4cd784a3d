use std::cell::Cell;

/// What a thread keeps of a buffer that has grown beyond this is given back.
const MAX_KEPT_BYTES: usize = 64 << 20;

thread_local! {
    static BUFFERS: Cell<Vec<Vec<u8>>> = const { Cell::new(Vec::new()) };
}

/// Lends a buffer that this thread reuses from block to block: fresh memory costs a page fault for
/// every 4 kB, which is more than turning the elements round.
///
/// The buffer has the contents that its last user left. Nested calls each get a buffer of their
/// own.
pub(super) fn with_buffer<T>(work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    let mut buffers = BUFFERS.take();
    let mut buffer = buffers.pop().unwrap_or_default();
    BUFFERS.set(buffers);
    let result = work(&mut buffer);
    if buffer.capacity() <= MAX_KEPT_BYTES {
        let mut buffers = BUFFERS.take();
        buffers.push(buffer);
        BUFFERS.set(buffers);
    }
    result
}

/// The first `length` bytes of a reused buffer, with any contents.
pub(super) fn sized(buffer: &mut Vec<u8>, length: usize) -> &mut [u8] {
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
    &mut buffer[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_users_get_different_buffers() {
        with_buffer(|outer| {
            sized(outer, 4).fill(1);
            with_buffer(|inner| sized(inner, 4).fill(2));
            assert_eq!(outer[..4], [1; 4]);
        });
    }

    #[test]
    fn a_buffer_is_reused_and_a_huge_one_is_not_kept() {
        let address = with_buffer(|buffer| sized(buffer, 100).as_ptr() as usize);
        assert_eq!(
            address,
            with_buffer(|buffer| sized(buffer, 100).as_ptr() as usize)
        );
        with_buffer(|buffer| buffer.reserve_exact(MAX_KEPT_BYTES + 1));
        with_buffer(|buffer| assert!(buffer.capacity() <= MAX_KEPT_BYTES));
    }
}
