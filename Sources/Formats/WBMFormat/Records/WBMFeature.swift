import DetectorRecord
package import ProtobufWire

/// The description of an input or output.
package struct WBMFeature: Hashable, Sendable {
  /// The name of a graph input or output.
  package var name: String
  /// The meaning of the feature.
  package var description: String?
  /// The conversion of an image to this input, if the feature is an image.
  package var image: WBMImage?
  /// The value of every element of an input that is not given; `nil` if it must be given.
  package var defaultValue: Double?
  /// Fields of a later version.
  package var unknownFields = UnknownFields()
}

/// The conversion of an image to a tensor: resized, channels in this order, then `pixel * scale +
/// bias`.
package struct WBMImage: Hashable, Sendable {
  /// The channels of an image, in order.
  package enum ColorOrder: String, Hashable, Sendable, SchemaEnumeration {
    case rgb, bgr, gray

    /// The number of channels.
    package var channelCount: Int { self == .gray ? 1 : 3 }
  }

  /// The method of resizing an image.
  package enum ResizePolicy: String, Hashable, Sendable, SchemaEnumeration {
    case stretch, letterbox
    case centerCrop = "center-crop"
  }

  /// The order of the tensor's axes.
  package enum Layout: String, Hashable, Sendable, SchemaEnumeration {
    case channelsFirst = "channels_first"
    case channelsLast = "channels_last"
  }

  /// The channels and their order.
  package var colorOrder: ColorOrder
  /// The factor for pixel values from 0 to 255.
  package var scale: Double
  /// The offset added after scaling, one number for each channel in the color order.
  package var bias: [Double]
  /// The resize policy; `nil` if not specified.
  package var resize: ResizePolicy?
  /// The order of the input's axes.
  package var layout: Layout
  /// Fields of a later version.
  package var unknownFields = UnknownFields()
}
