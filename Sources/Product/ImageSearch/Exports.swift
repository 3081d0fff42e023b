// The model, image and error types that appear in the API.
@_exported public import Weighbridge
