//! libFuzzer: any bytes, read as a campaign file.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    onefold_fuzz::toml(bytes);
});
