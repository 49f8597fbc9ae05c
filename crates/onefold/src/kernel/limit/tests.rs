use super::*;

#[test]
fn the_f32_tanh_is_a_tanh() {
    for isa in Isa::available() {
        for i in -600..600 {
            let x = i as f32 * 0.02;
            let mut v = [[x; WIDTH_F32]; 1];
            tanh_f32(isa, &mut v);
            assert!((f64::from(v[0][3]) - f64::from(x).tanh()).abs() < 3e-7, "{x}: {}", v[0][3]);
        }
    }
}

#[test]
fn limits_are_times() {
    let limits = Limits::measure(Isa::detect(), 0.02);
    for seconds in [limits.tanh, limits.multiply_add, limits.tanh_f32, limits.multiply_add_f32] {
        assert!(seconds > 0.0 && seconds.is_finite(), "{limits:?}");
    }
}
