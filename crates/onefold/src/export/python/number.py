

def _number(value):
    """The input of a number; None where it is missing."""
    if value is None or type(value).__name__ == "NAType":
        return None
    if isinstance(value, (str, bytes)):
        raise TypeError(f"must be a number, not the text {value!r}")
    number = float(value)
    return None if number != number else [number]
