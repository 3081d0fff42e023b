// The model, image and error types that the API mentions.
@_exported public import Weighbridge
