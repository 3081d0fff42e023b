#include "weighbridge.h"

const char *weighbridge_status_name(weighbridge_status status) {
  switch (status) {
    case WEIGHBRIDGE_OK: return "ok";
    case WEIGHBRIDGE_MISSING: return "missing";
    case WEIGHBRIDGE_MALFORMED: return "malformed";
    case WEIGHBRIDGE_DAMAGED: return "damaged";
    case WEIGHBRIDGE_TRUNCATED: return "truncated";
    case WEIGHBRIDGE_UNSUPPORTED: return "unsupported";
    case WEIGHBRIDGE_MISMATCH: return "mismatch";
    case WEIGHBRIDGE_OUTPUT_FAILED: return "outputFailed";
    case WEIGHBRIDGE_LIMIT_EXCEEDED: return "limitExceeded";
    case WEIGHBRIDGE_CANCELLED: return "cancelled";
    case WEIGHBRIDGE_INVALID_ARGUMENT: return "invalidArgument";
    case WEIGHBRIDGE_INVALID_HANDLE: return "invalidHandle";
    case WEIGHBRIDGE_BUSY: return "busy";
    case WEIGHBRIDGE_FORKED: return "forked";
    default: return "unknown";
  }
}
