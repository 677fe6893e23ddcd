"""The ranges of the Lab's fields."""

from playground.errors import PlaygroundError
from playground.words import word


def check_range(field: str, value: float, low: float, high: float) -> None:
    """Refuse a value out of range.

    Args:
        field: `lab_error_field_<field>` is its name in messages.
        low, high: ends of the range, included.

    Raises:
        PlaygroundError: if the value is out of it.
    """
    if not low <= value <= high:
        name, numbers = word(f"lab_error_field_{field}"), {"value": value, "low": low, "high": high}
        raise PlaygroundError(
            word("lab_error_range", name=name, **{end: f"{number:g}" for end, number in numbers.items()})
        )
