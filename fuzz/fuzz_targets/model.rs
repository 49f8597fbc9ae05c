//! libFuzzer: any bytes, read as a model file.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = onefold_fuzz::model(bytes);
});
