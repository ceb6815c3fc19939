"""Client of the Malaria Risk Data Service; see :class:`MalariaRisk`."""

from .client import MalariaRisk
from .errors import (
    AllowanceExhausted,
    InvalidKey,
    MalariaRiskError,
    RateLimited,
    ScopeRequired,
    ServiceError,
    Unavailable,
    VersionChanged,
)
from .transport import VERSION as __version__

__all__ = [
    "AllowanceExhausted",
    "InvalidKey",
    "MalariaRisk",
    "MalariaRiskError",
    "RateLimited",
    "ScopeRequired",
    "ServiceError",
    "Unavailable",
    "VersionChanged",
    "__version__",
]
