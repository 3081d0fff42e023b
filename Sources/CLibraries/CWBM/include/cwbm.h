// The umbrella header of CWBM. Everything it includes but wbm_schema.h is generated.
#pragma once

#include "wbm.pb-c.h"
#include "wbm_schema.h"
