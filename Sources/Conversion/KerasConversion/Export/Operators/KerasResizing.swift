import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Images in other sizes.
enum KerasResizing {
  static let rows: [KerasRow] = [
    KerasRow(Upsampling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.upsampling(operation)
    },
    KerasRow(Resizing.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.resizing(operation)
    },
    KerasRow(CenterCrop.self) { (operation, builder) throws(WeighbridgeError) in
      let settings = try builder.size(operation.dimensions)
      return try builder.layer("CenterCrop", settings)
    },
  ]
}

extension KerasModelBuilder {
  fileprivate func size(_ dimensions: [Int]) throws(WeighbridgeError) -> JSONObject {
    guard dimensions.count == 2 else {
      throw WeighbridgeError(.unsupported, "\(dimensions.count) spatial axes")
    }
    return ["height": .integer(dimensions[0]), "width": .integer(dimensions[1])]
  }

  fileprivate mutating func upsampling(
    _ operation: Upsampling
  ) throws(WeighbridgeError) -> KerasValue {
    let (factors, axes) = (operation.factors, operation.factors.count)
    guard (1...3).contains(axes) else {
      throw WeighbridgeError(.unsupported, "\(axes) spatial axes")
    }
    guard operation.interpolation != .linearAsymmetric else {
      throw WeighbridgeError(
        .unsupported,
        "enlarges with pixels that count from their corners, as Keras did on TensorFlow 1; today's "
          + "Keras counts from their middles")
    }
    let isNearest = operation.interpolation == .nearest
    guard isNearest || axes == 2 else {
      throw WeighbridgeError(.unsupported, "Keras enlarges linearly in two dimensions only")
    }
    var settings: JSONObject = ["size": axes == 1 ? .integer(factors[0]) : .integers(factors)]
    if axes > 1 { settings["data_format"] = "channels_last" }
    if axes == 2 { settings["interpolation"] = isNearest ? "nearest" : "bilinear" }
    return try layer("UpSampling\(axes)D", settings)
  }

  fileprivate mutating func resizing(
    _ operation: Resizing
  ) throws(WeighbridgeError) -> KerasValue {
    var settings = try size(operation.dimensions)
    let interpolation = operation.interpolation.rawValue
    guard form != .archive || !["gaussian", "mitchellcubic"].contains(interpolation) else {
      throw WeighbridgeError(.unsupported, "Keras 3 does not resize by \(interpolation)")
    }
    settings["interpolation"] = .string(interpolation)
    guard !operation.antialiases else {
      throw WeighbridgeError(.unsupported, "smooths before it shrinks, as no layer of Keras does")
    }
    switch operation.fit {
    case .stretch: settings["crop_to_aspect_ratio"] = false
    case .crop: settings["crop_to_aspect_ratio"] = true
    case .pad(let number):
      guard form == .archive else {
        throw WeighbridgeError(.unsupported, "adds bars, which Keras 2 cannot")
      }
      settings["crop_to_aspect_ratio"] = false
      settings["pad_to_aspect_ratio"] = true
      settings["fill_mode"] = "constant"
      settings["fill_value"] = .real(number)
    }
    if form == .archive { settings["data_format"] = "channels_last" }
    return try layer("Resizing", settings)
  }
}
