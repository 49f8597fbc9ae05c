//! The style and the script of every page, and the policy that allows these and nothing else.

/// The style of all pages.
pub(crate) const STYLE: &str = include_str!("../assets/style.css");
/// Sorts tables; a page is complete without it.
pub(crate) const SCRIPT: &str = include_str!("../assets/sort.js");
/// The policy: nothing may be loaded or run but the style and the script with these digests.
pub(crate) const POLICY: &str = "default-src 'none'; \
     style-src 'sha256-2GoysDU31D12WqzaLkPhn0vP+/STASJlpLLV/saMqwI='; \
     script-src 'sha256-AhHPuNxZX/Res3yq5iV65OQatTPfwGm8pMiV3VaOkQQ='; \
     base-uri 'none'; form-action 'none'";

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest as _, Sha256};

    /// Digests are written in base 64.
    fn digest(text: &str) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let hash = Sha256::digest(text.as_bytes());
        let mut written = String::new();
        for group in hash.chunks(3) {
            let bits = (0..3).fold(0_u32, |bits, i| bits << 8 | u32::from(*group.get(i).unwrap_or(&0)));
            for place in 0..4 {
                let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
                written.push(if place <= group.len() { char::from(letter) } else { '=' });
            }
        }
        written
    }

    #[test]
    fn the_policy_allows_the_style_and_the_script() {
        for text in [STYLE, SCRIPT] {
            let expected = format!("'sha256-{}'", digest(text));
            assert!(POLICY.contains(&expected), "the policy must contain {expected}");
        }
        assert_eq!(digest("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }
}
