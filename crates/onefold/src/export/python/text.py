

# Spaces around texts are left out.
_SPACES = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_LOWER = {letter: letter + 32 for letter in range(ord("A"), ord("Z") + 1)}


def _text(value, marks):
    """A text without spaces around it; None where the value is missing."""
    if value is None or type(value).__name__ == "NAType":
        return None
    if isinstance(value, (float, np.floating)) and value != value:
        return None
    if not isinstance(value, str):
        raise TypeError(f"must be text, not {value!r}")
    text = value.strip(_SPACES)
    return None if text.translate(_LOWER) in marks else text
