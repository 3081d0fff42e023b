// jpeglib.h uses FILE without including what declares it.
#include <stdio.h>

#include <jpeglib.h>
