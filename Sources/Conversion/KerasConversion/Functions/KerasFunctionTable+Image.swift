import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

/// Functions of images, whose last axes are height, width and channels.
extension KerasFunctionTable {
  static let images: [Entry] = [
    Entry(["Resize"], tf: ["image.resize"]) { (call) throws(WeighbridgeError) in
      try call.addResize()
    },
    Entry(tf: ["image.flip_left_right"]) { (call) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      return try call.add(Reverse(axes: [height + 1]), [value])
    },
    Entry(tf: ["image.flip_up_down"]) { (call) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      return try call.add(Reverse(axes: [height]), [value])
    },
    Entry(tf: ["image.transpose"]) { (call) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      var axes = Array(0..<height + 3)
      axes.swapAt(height, height + 1)
      return try call.add(Transpose(axes: axes), [value])
    },
    Entry(tf: ["image.crop_to_bounding_box"]) { (call) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      return try call.addCrop(value, try call.box(of: value, height))
    },
    Entry(tf: ["image.central_crop"]) { (call) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      return try call.addCrop(value, try call.centre(of: value, height))
    },
    Entry(["RGBToGrayscale"], tf: ["image.rgb_to_grayscale"]) {
      (call) throws(WeighbridgeError) in try call.addGrayscale()
    },
  ]
}

extension KerasFunction {
  /// A part of an axis.
  fileprivate struct Part {
    let axis: Int
    let start: Int
    let count: Int
  }

  /// Takes an image or a batch of images, and says which axis is its height.
  fileprivate mutating func image() throws(WeighbridgeError) -> (ValueID, height: Int) {
    let value = try tensor("image", "images", at: 0)
    let rank = type(of: value).rank
    guard rank == 3 || rank == 4 else {
      throw .malformed("takes images and has \(type(of: value))")
    }
    return (value, rank - 3)
  }

  /// Takes offsets and sizes.
  fileprivate mutating func box(
    of value: ValueID, _ height: Int
  ) throws(WeighbridgeError) -> [Part] {
    var parts: [Part] = []
    for (axis, name) in ["height", "width"].enumerated() {
      let part = Part(
        axis: height + axis, start: try integer("offset_\(name)"),
        count: try integer("target_\(name)"))
      let dimension = try dimension(of: value, part.axis)
      guard part.start >= 0, part.count >= 1, part.start <= dimension,
        part.count <= dimension - part.start
      else {
        throw .malformed("takes \(part.count) elements from \(part.start) on of \(dimension)")
      }
      parts.append(part)
    }
    return parts
  }

  /// Takes a fraction, and gives the middle of both axes with that part of the elements, or one
  /// more.
  fileprivate mutating func centre(
    of value: ValueID, _ height: Int
  ) throws(WeighbridgeError) -> [Part] {
    let fraction = try real("central_fraction", at: 1)
    guard fraction > 0, fraction <= 1 else { throw .malformed("central_fraction=\(fraction)") }
    var parts: [Part] = []
    for axis in height...height + 1 {
      let dimension = try dimension(of: value, axis)
      let start = Int((Double(dimension) - Double(dimension) * fraction) / 2)
      parts.append(Part(axis: axis, start: start, count: dimension - 2 * start))
    }
    return parts
  }

  private func dimension(of value: ValueID, _ axis: Int) throws(WeighbridgeError) -> Int {
    guard let dimension = type(of: value).shape[axis].value, dimension <= 1 << 32 else {
      throw .unsupported("the size of images \(type(of: value)) is not known")
    }
    return dimension
  }

  fileprivate mutating func addCrop(
    _ value: ValueID, _ parts: [Part]
  ) throws(WeighbridgeError) -> [ValueID] {
    let ranges = parts.map {
      Slice.Range(axis: $0.axis, start: $0.start, stop: $0.start + $0.count, step: 1)
    }
    return try add(Slice(ranges), [value])
  }

  /// Adds the sum of red, green and blue by what the eye sees of them (ITU-R BT.601, rounded).
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
