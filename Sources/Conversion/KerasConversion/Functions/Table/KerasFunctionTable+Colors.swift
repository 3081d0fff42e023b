import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions of the colors and edges of images, channels last.
extension KerasFunctionTable {
  static let colors: [Entry] =
    entries([
      Names(
        tf: ["image.rgb_to_yuv"],
        [
          0.299, -0.14714119, 0.61497538, 0.587, -0.28886916, -0.51496512, 0.114, 0.43601035,
          -0.10001026,
        ]),
      Names(
        tf: ["image.yuv_to_rgb"],
        [1.0, 1, 1, 0, -0.394642334, 2.03206185, 1.13988303, -0.58062185, 0]),
      Names(
        tf: ["image.rgb_to_yiq"],
        [
          0.299, 0.59590059, 0.2115, 0.587, -0.27455667, -0.52273617, 0.114, -0.32134392,
          0.31119955,
        ]),
      Names(
        tf: ["image.yiq_to_rgb"],
        [1.0, 1, 1, 0.95598634, -0.27201283, -1.10674021, 0.6208248, -0.64720424, 1.70423049]),
    ]) { (call, matrix: [Double]) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("images", at: 0)
      guard type.rank >= 2, type.elementType.isFloat else { throw .malformed("takes \(type)") }
      let shape = [Int](repeating: 1, count: type.rank - 2) + [3, 3]
      let kernel = try call.add(constant: Tensor(type.elementType, shape: shape, matrix))
      return try call.add(MatMul(transposeA: false, transposeB: false), [value, kernel])
    } + changes + edges

  private static let changes: [Entry] = [
    Entry(["RGBToHSV"], tf: ["image.rgb_to_hsv"]) { (call) throws(WeighbridgeError) in
      let value = try call.colored()
      return try call.result(try call.hsv(of: value))
    },
    Entry(["HSVToRGB"], tf: ["image.hsv_to_rgb"]) { (call) throws(WeighbridgeError) in
      let value = try call.colored()
      return try call.result(try call.rgb(of: value))
    },
    Entry(tf: ["image.grayscale_to_rgb"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("images", at: 0)
      guard type.rank >= 1, type.shape[type.rank - 1].value == 1 else {
        throw .malformed("takes images of one channel and has \(type)")
      }
      return try call.add(BroadcastTo(target: type.shape.map { _ in -1 }.dropLast() + [3]), [value])
    },
    Entry(tf: ["image.adjust_brightness"]) { (call) throws(WeighbridgeError) in
      let delta = try call.real("delta", at: 1)
      return try call.addAdjusted(try call.pixels("image")) {
        (call, value) throws(WeighbridgeError) in
        try call.part(Rescaling(scale: [1], offset: [delta]), value)
      }
    },
    Entry(tf: ["image.adjust_contrast"]) { (call) throws(WeighbridgeError) in
      let factor = try call.real("contrast_factor", at: 1)
      return try call.addAdjusted(try call.pixels("images")) {
        (call, value) throws(WeighbridgeError) in
        let mean = try call.reduced(.mean, value, try call.imageAxes(of: value))
        return try call.sum(try call.scaled(try call.difference(value, mean), by: factor), mean)
      }
    },
    Entry(tf: ["image.adjust_gamma"]) { (call) throws(WeighbridgeError) in
      let (gamma, gain) = (
        try call.real("gamma", at: 1, default: 1), try call.real("gain", at: 2, default: 1)
      )
      return try call.addAdjusted(try call.pixels("image")) {
        (call, value) throws(WeighbridgeError) in
        let power = try call.part(BinaryMath(.power), value, try call.number(gamma, like: value))
        return try call.scaled(power, by: gain)
      }
    },
    Entry(tf: ["image.adjust_saturation"]) { (call) throws(WeighbridgeError) in
      let factor = try call.real("saturation_factor", at: 1)
      return try call.addAdjusted(try call.colored()) { (call, value) throws(WeighbridgeError) in
        var parts = try call.channels(of: try call.hsv(of: value))
        parts[1] = try call.part(
          Clip(minimum: 0, maximum: 1), try call.scaled(parts[1], by: factor))
        return try call.rgb(of: try call.joined(parts))
      }
    },
    Entry(tf: ["image.adjust_hue"]) { (call) throws(WeighbridgeError) in
      let delta = try call.real("delta", at: 1)
      guard (-1...1).contains(delta) else { throw .unsupported("delta=\(delta), expected -1 to 1") }
      return try call.addAdjusted(try call.colored()) { (call, value) throws(WeighbridgeError) in
        try call.turned(value, by: delta)
      }
    },
    Entry(tf: ["image.convert_image_dtype"]) { (call) throws(WeighbridgeError) in
      try call.addConvertedPixels()
    },
  ]

  private static let edges: [Entry] = [
    Entry(["SobelEdges"], tf: ["image.sobel_edges"]) { (call) throws(WeighbridgeError) in
      try call.addSobelEdges()
    },
    Entry(tf: ["image.total_variation"]) { (call) throws(WeighbridgeError) in
      let value = try call.pixels("images")
      let axes = try call.imageAxes(of: value)
      let others = [axes[0], axes[1], axes[1] + 1]
      var sums: [ValueID] = []
      for axis in axes {
        let step = try call.difference(
          try call.sliced(value, axis: axis, from: 1), try call.sliced(value, axis: axis, to: -1))
        let size = try call.part(UnaryMath(.absolute), step)
        sums.append(try call.reduced(.sum, size, others, keepDims: false))
      }
      return try call.add(Add(), sums)
    },
    Entry(tf: ["image.image_gradients"]) { (call) throws(WeighbridgeError) in
      let value = try call.pixels("image")
      let rank = call.type(of: value).rank
      var outputs: [ValueID] = []
      for (index, axis) in try call.imageAxes(of: value).enumerated() {
        let step = try call.difference(
          try call.sliced(value, axis: axis, from: 1), try call.sliced(value, axis: axis, to: -1))
        let after = (0..<rank).map { $0 == axis ? 1 : 0 }
        let pad = Pad(before: after.map { _ in 0 }, after: after, mode: .constant, value: 0)
        outputs += try call.add(pad, [step], role: index == 0 ? "" : "1")
      }
      return outputs
    },
  ]
}

extension KerasFunction {
  /// Takes images of floating-point numbers.
  fileprivate mutating func pixels(_ name: String) throws(WeighbridgeError) -> ValueID {
    let (value, type) = try typedTensor(name, at: 0)
    guard type.elementType == .float32 || type.elementType == .float64 else {
      throw .unsupported("takes images of \(type.elementType.rawValue); float32 is supported")
    }
    return value
  }

  /// Takes images of three channels, which stand last.
  fileprivate mutating func colored() throws(WeighbridgeError) -> ValueID {
    let (value, type) = try typedTensor("images", "image", at: 0)
    guard type.elementType.isFloat, try layout() == .channelsLast, type.rank >= 1,
      type.shape[type.rank - 1].value == 3
    else { throw .unsupported("takes fractions of three channels, the last axis, and has \(type)") }
    return value
  }

  /// Adds a change of images that TensorFlow computes in float32, those of float64, too.
  fileprivate mutating func addAdjusted(
    _ value: ValueID,
    _ change: (inout KerasFunction, ValueID) throws(WeighbridgeError) -> ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    let changed = try change(&self, try self.value(.value(value), as: .float32))
    return try result(changed, as: type(of: value).elementType)
  }

  fileprivate mutating func channels(of value: ValueID) throws(WeighbridgeError) -> [ValueID] {
    let split = Split(axis: type(of: value).rank - 1, sizes: [1, 1, 1])
    return try layer.add(split, [value], role: "split")
  }

  fileprivate mutating func joined(_ channels: [ValueID]) throws(WeighbridgeError) -> ValueID {
    let axis = type(of: channels[0]).rank - 1
    return try layer.add(Concatenate(axis: axis), channels, role: "concatenate")[0]
  }

  /// Hue, saturation and value of red, green and blue, with hues from 0 to 1.
  fileprivate mutating func hsv(of value: ValueID) throws(WeighbridgeError) -> ValueID {
    let (hue, range, largest) = try shades(of: value)
    let saturation = try chosen(
      largest, .greater, 0, try quotient(range, largest), try number(0, like: range))
    return try joined([hue, saturation, largest])
  }

  /// Images whose hues, from 0 to 1, are turned; numbers may be negative.
  fileprivate mutating func turned(
    _ value: ValueID, by delta: Double
  ) throws(WeighbridgeError) -> ValueID {
    let (hue, range, largest) = try shades(of: value)
    let sum = try scaled(hue, by: 1, plus: delta)
    let turned = try part(BinaryMath(.floorModulo), sum, try number(1, like: sum))
    let smallest = try reduced(.minimum, value, [type(of: value).rank - 1])
    var colors: [ValueID] = []
    for share in try shares(of: turned) {
      let color = try self.sum(smallest, try product(range, share))
      // One channel has the smallest number and one the largest, however far apart they are.
      let upper = try chosen(share, .equal, 1, largest, color)
      colors.append(try chosen(share, .equal, 0, smallest, upper))
    }
    return try joined(colors)
  }

  /// The hue of red, green and blue, how far apart the largest and the smallest are, and the largest.
  private mutating func shades(
    of value: ValueID
  ) throws(WeighbridgeError) -> (hue: ValueID, range: ValueID, largest: ValueID) {
    let last = type(of: value).rank - 1
    let rgb = try channels(of: value)
    let largest = try reduced(.maximum, value, [last])
    let range = try difference(largest, try reduced(.minimum, value, [last]))
    let zero = try number(0, like: range)
    let scale = try quotient(try number(1, like: range), try scaled(range, by: 6))
    var hues: [ValueID] = []
    for (index, offset) in [0, 2.0 / 6, 4.0 / 6].enumerated() {
      let step = try difference(rgb[(index + 1) % 3], rgb[(index + 2) % 3])
      let hue = try product(scale, step)
      hues.append(offset == 0 ? hue : try scaled(hue, by: 1, plus: offset))
    }
    let isGreen = try part(Comparison(.equal), rgb[1], largest)
    let isRed = try part(Comparison(.equal), rgb[0], largest)
    var hue = try part(Where(), isRed, hues[0], try part(Where(), isGreen, hues[1], hues[2]))
    hue = try chosen(range, .greater, 0, hue, zero)
    hue = try chosen(hue, .less, 0, try scaled(hue, by: 1, plus: 1), hue)
    return (hue, range, largest)
  }

  /// Red, green and blue of hue, saturation and value.
  fileprivate mutating func rgb(of value: ValueID) throws(WeighbridgeError) -> ValueID {
    let parts = try channels(of: value)
    let rest = try scaled(parts[1], by: -1, plus: 1)
    var colors: [ValueID] = []
    for share in try shares(of: parts[0]) {
      colors.append(try product(try sum(rest, try product(parts[1], share)), parts[2]))
    }
    return try joined(colors)
  }

  /// How far red, green and blue of a hue are from the smallest to the largest, from 0 to 1.
  private mutating func shares(of hue: ValueID) throws(WeighbridgeError) -> [ValueID] {
    let hue = try scaled(hue, by: 6)
    var shares: [ValueID] = []
    for (place, sign, offset) in [(3.0, 1.0, -1.0), (2, -1, 2), (4, -1, 2)] {
      let distance = try part(UnaryMath(.absolute), try scaled(hue, by: 1, plus: -place))
      shares.append(
        try part(Clip(minimum: 0, maximum: 1), try scaled(distance, by: sign, plus: offset)))
    }
    return shares
  }

  /// Adds images of another type, whose full range of integers is 0 to 1 as fractions.
  fileprivate mutating func addConvertedPixels() throws(WeighbridgeError) -> [ValueID] {
    let (value, type) = try typedTensor("image", at: 0)
    guard let target = try elementType("dtype") else { throw missing("dtype") }
    let saturates = try flag("saturate", default: false)
    let own = type.elementType
    if own == target { return try add(Identity(), [value]) }
    if own.isFloat, target.isFloat { return try add(Cast(to: target), [value]) }
    let largest: [ElementType: Double] = [.uint8: 255, .uint16: 65535, .int8: 127, .int16: 32767]
    if let largest = largest[own], target.isFloat {
      return try add(
        Rescaling(scale: [1 / largest], offset: [0]), [try part(Cast(to: target), value)])
    }
    guard own == .float32, target == .uint8 || target == .uint16, let largest = largest[target]
    else {
      throw .unsupported(
        "dtype=\(target.rawValue) of \(type); only uint8 and uint16 can be made of "
          + "float32")
    }
    // TensorFlow clamps only if it is told to; otherwise a fraction beyond 1 wraps around.
    let numbers = try scaled(value, by: largest + 0.5)
    guard saturates else { return try add(Cast(to: target), [numbers]) }
    return try add(Cast(to: target), [try part(Clip(minimum: 0, maximum: largest), numbers)])
  }

  /// Adds the derivatives along height and width by Sobel's kernels, along a new last axis.
  fileprivate mutating func addSobelEdges() throws(WeighbridgeError) -> [ValueID] {
    let (value, type) = try typedTensor("images", "image", at: 0)
    guard type.rank == 4, type.elementType.isFloat, try layout() == .channelsLast else {
      throw .unsupported("takes a batch of images, channels last, and has \(type)")
    }
    let count = try size(3, of: value)
    guard count <= 1 << 16 else { throw .limitExceeded("takes \(count.counted("channel"))") }
    let padded = try part(
      Pad(before: [0, 1, 1, 0], after: [0, 1, 1, 0], mode: .reflect, value: 0), value)
    let window = Window(size: [3, 3], strides: [1, 1], dilation: [1, 1], padding: .valid)
    let operation = Convolution(
      window: window, groups: count, hasBias: false, layout: .channelsLast)
    var edges: [ValueID] = []
    for kernel in [[-1.0, -2, -1, 0, 0, 0, 1, 2, 1], [-1.0, 0, 1, -2, 0, 2, -1, 0, 1]] {
      let all = (0..<count).flatMap { _ in kernel }
      let weight = try add(constant: Tensor(type.elementType, shape: [count, 1, 3, 3], all))
      let edge = try part(operation, padded, weight)
      edges.append(try part(ExpandDims(axes: [4]), edge))
    }
    return try add(Concatenate(axis: 4), edges)
  }
}
