import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// The settings of windows in Keras' layers.
extension KerasModelBuilder {
  /// Keras' name of a window's padding, and the borders that must be added beforehand where it has
  /// none.
  func padding(
    _ window: Window, _ type: TensorType
  ) throws(WeighbridgeError) -> (name: String, borders: Borders?) {
    switch window.padding {
    case .valid: return ("valid", nil)
    case .same: return ("same", nil)
    case .explicit(let before, let after):
      if (before + after).allSatisfy({ $0 == 0 }) { return ("valid", nil) }
      let same = window.with(padding: .same)
      let isSame = window.size.indices.allSatisfy { axis in
        // With a stride of 1, the padding does not depend on the size.
        let dimension = type.shape[axis + 1].value ?? (window.strides[axis] == 1 ? 64 : nil)
        guard let dimension, let expected = try? same.placement(axis, dimension: dimension),
          let actual = try? window.placement(axis, dimension: dimension)
        else { return false }
        return expected.before == actual.before && expected.count == actual.count
      }
      return isSame ? ("same", nil) : ("valid", Borders(before: before, after: after))
    }
  }

  /// As ``padding(_:_:)``, of a depthwise convolution. TensorFlow.js 2 exchanges the borders of height
  /// and width on the CPU, so that the padding is a layer of its own where they differ.
  func depthwisePadding(
    _ window: Window, _ type: TensorType
  ) throws(WeighbridgeError) -> (name: String, borders: Borders?) {
    let padding = try padding(window, type)
    guard format == .tensorFlowJS, padding.name == "same" else { return padding }
    let same = window.with(padding: .same)
    var (before, after): ([Int], [Int]) = ([], [])
    for axis in window.size.indices {
      let stride = window.strides[axis]
      // With a stride of 1, the padding does not depend on the size.
      guard let dimension = type.shape[axis + 1].value ?? (stride == 1 ? 64 : nil),
        let place = try? same.placement(axis, dimension: dimension)
      else {
        throw .unsupported(
          "pads an image \(type) with strides, where TensorFlow.js can exchange the borders of "
            + "height and width; only those of a known size can be written")
      }
      let total = (place.count - 1) * stride + window.effectiveSize(axis) - dimension
      before.append(place.before)
      after.append(max(0, total - place.before))
    }
    return Set(before).count == 1 ? padding : ("valid", Borders(before: before, after: after))
  }

  /// Returns the first input, padded with zeros where borders are given.
  mutating func padded(_ borders: Borders?) throws(WeighbridgeError) -> KerasValue {
    guard let borders else { return self[0] }
    var type = type()
    for (axis, widths) in zip(borders.before, borders.after).enumerated() {
      type.shape[axis + 1] =
        type.shape[axis + 1].value.map { Dimension.fixed($0 + widths.0 + widths.1) } ?? .unknown
    }
    return try padOrCrop("ZeroPadding", "padding", borders, self[0], type: type)
  }

  /// The settings of a window.
  func settings(_ window: Window, _ padding: String) -> JSONObject {
    [
      "kernel_size": .integers(window.size), "strides": .integers(window.strides),
      "padding": .string(padding), "data_format": "channels_last",
      "dilation_rate": .integers(window.dilation), "activation": .string(fusedActivation),
    ]
  }

  /// Refuses windows that Keras' layers do not have.
  func check(_ window: Window) throws(WeighbridgeError) {
    guard (1...3).contains(window.size.count) else {
      throw .unsupported(
        "has \(window.size.count.counted("spatial axis")), and Keras' layer one to three")
    }
    guard window.strides.allSatisfy({ $0 == 1 }) || window.dilation.allSatisfy({ $0 == 1 }) else {
      throw .unsupported(
        "strides=\(window.strides) with dilation=\(window.dilation), of which Keras "
          + "has one at a time")
    }
  }

  /// The bias, where there is one.
  func bias(_ hasBias: Bool) throws(WeighbridgeError) -> [KerasLayerWeight] {
    hasBias ? [KerasLayerWeight(name: "bias", tensor: try tensor(2))] : []
  }
}
