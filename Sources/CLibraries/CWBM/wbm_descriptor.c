#include "cwbm.h"

const ProtobufCMessageDescriptor *wbm_header_descriptor(void) {
  return &weighbridge__v1__header__descriptor;
}
