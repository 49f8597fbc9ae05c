//! libFuzzer: any bytes, read as the records of a store.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = onefold_fuzz::store(bytes);
});
