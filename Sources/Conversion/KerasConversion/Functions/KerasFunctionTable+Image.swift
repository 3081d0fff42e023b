import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

/// Functions of images, whose last axes are height, width and channels.
extension KerasFunctionTable {
  static let images =
    entries([Names(tf: ["image.flip_up_down"], 0), Names(tf: ["image.flip_left_right"], 1)]) {
      (call, axis) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      return try call.add(Reverse(axes: [height + axis]), [value])
    } + imageFunctions

  private static let imageFunctions: [Entry] = [
    Entry(["Resize"], tf: ["image.resize"]) { (call) throws(WeighbridgeError) in
      try call.addResize()
    },
    Entry(tf: ["image.transpose"]) { (call) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      var axes = Array(0..<height + 3)
      axes.swapAt(height, height + 1)
      return try call.add(Transpose(axes: axes), [value])
    },
    Entry(tf: ["image.crop_to_bounding_box"]) { (call) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      return try call.add(Slice(try call.boxRanges(of: value, height)), [value])
    },
    Entry(tf: ["image.central_crop"]) { (call) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      return try call.add(Slice(try call.centralRanges(of: value, height)), [value])
    },
    Entry(["RGBToGrayscale"], tf: ["image.rgb_to_grayscale"]) {
      (call) throws(WeighbridgeError) in try call.addGrayscale()
    },
  ]
}

extension KerasFunction {
  /// Takes an image or a batch of images, and returns the axis of its height.
  fileprivate mutating func image() throws(WeighbridgeError) -> (ValueID, height: Int) {
    let value = try tensor("image", "images", at: 0)
    let rank = type(of: value).rank
    guard rank == 3 || rank == 4 else {
      throw .malformed("takes images and has \(type(of: value))")
    }
    return (value, rank - 3)
  }

  /// Takes offsets and sizes, and returns the ranges of height and width.
  fileprivate mutating func boxRanges(
    of value: ValueID, _ height: Int
  ) throws(WeighbridgeError) -> [Slice.Range] {
    var ranges: [Slice.Range] = []
    for (axis, name) in [(height, "height"), (height + 1, "width")] {
      let (start, count) = (try integer("offset_\(name)"), try integer("target_\(name)"))
      let dimension = try dimension(of: value, axis)
      guard start >= 0, count >= 1, start <= dimension, count <= dimension - start else {
        throw .malformed("takes \(count) elements from \(start) on of \(dimension)")
      }
      ranges.append(Slice.Range(axis: axis, start: start, stop: start + count, step: 1))
    }
    return ranges
  }

  /// Takes a fraction, and returns the central ranges of height and width with that fraction of the
  /// elements, or one more.
  fileprivate mutating func centralRanges(
    of value: ValueID, _ height: Int
  ) throws(WeighbridgeError) -> [Slice.Range] {
    let fraction = try real("central_fraction", at: 1)
    guard fraction > 0, fraction <= 1 else { throw .malformed("central_fraction=\(fraction)") }
    return try [height, height + 1].map { (axis) throws(WeighbridgeError) in
      let dimension = try dimension(of: value, axis)
      let start = Int((Double(dimension) - Double(dimension) * fraction) / 2)
      return Slice.Range(axis: axis, start: start, stop: dimension - start, step: 1)
    }
  }

  private func dimension(of value: ValueID, _ axis: Int) throws(WeighbridgeError) -> Int {
    guard let dimension = type(of: value).shape[axis].value, dimension <= 1 << 32 else {
      throw .unsupported("the size of images \(type(of: value)) is not known")
    }
    return dimension
  }

  /// Adds the luma of red, green and blue, with the weights of ITU-R BT.601, rounded.
  fileprivate mutating func addGrayscale() throws(WeighbridgeError) -> [ValueID] {
    let (value, height) = try image()
    let channels = try layout() == .channelsLast ? height + 2 : height
    let type = type(of: value)
    guard type.elementType.isFloat, type.shape[channels].value == 3 else {
      throw .unsupported("takes fractions of red, green and blue and has \(type)")
    }
    var shape = type.shape.map { _ in 1 }
    shape[channels] = 3
    let weights = try add(
      constant: Tensor(type.elementType, shape: shape, [0.2989, 0.5870, 0.1140]))
    let parts = try addOne(Multiply(), [value, weights], role: "parts")
    return try add(Reduce(.sum, axes: [channels], keepDims: true), [parts])
  }
}
