//! libFuzzer: any bytes, read as a campaign file.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = onefold_fuzz::campaign(bytes);
});
