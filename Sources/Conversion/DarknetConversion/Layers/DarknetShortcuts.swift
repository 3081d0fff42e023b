import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// `[shortcut]` of pjreddie's darknet: alpha · input + beta · other, in the places and channels that
/// both images have. The input determines the shape.
///
/// Of an image that is n times as high and wide, or more, every nth element is taken; one that is n
/// times smaller is added to every nth element. All other elements of the input stay as they are.
struct DarknetShortcut {
  /// The distance of the elements that are taken from the other image.
  let stride: Int
  /// The distance of the elements of the input to which they are added.
  let spacing: Int
  /// The numbers of channels, rows and columns that are added.
  let common: ImageShape

  /// - Returns: `nil` if height and width do not differ alike; darknet then ends the program.
  init?(_ other: ImageShape, to input: ImageShape) {
    guard min(other.width, other.height, input.width, input.height) > 0,
      other.width / input.width == other.height / input.height,
      input.width / other.width == input.height / other.height
    else { return nil }
    stride = max(1, other.width / input.width)
    spacing = max(1, input.width / other.width)
    common = ImageShape(
      channels: min(other.channels, input.channels), height: min(other.height, input.height),
      width: min(other.width, input.width))
  }

  /// The factor of each element of a channel of the input: alpha where something is added, else 1.
  func factors(_ alpha: Double, _ input: ImageShape) -> Tensor {
    var values = [Double](repeating: 1, count: input.height * input.width)
    for row in 0..<common.height {
      for column in 0..<common.width {
        values[(row * input.width + column) * spacing] = alpha
      }
    }
    return Tensor(.float32, shape: [1, 1, input.height, input.width], values)
  }
}

extension DarknetLayer {
  /// Adds the shortcut of pjreddie's darknet.
  mutating func scaledSum() throws(WeighbridgeError) -> ValueID {
    let other = try singleOutput("from")
    let activation = try activationName(default: "linear")
    let alpha = try double("alpha", default: 1)
    let beta = try double("beta", default: 1)
    let inputShape = try image(input)
    guard let shortcut = DarknetShortcut(try image(other), to: inputShape) else {
      throw unsupported(
        "adds \(shape(of: other)) to \(shape(of: input)), and darknet adds an image only if its height "
          + "and width are larger or smaller by the same whole factor, without the remainder")
    }
    var part = try taken(other, shortcut)
    if beta != 1 { part = try scaled(part, by: beta, role: "beta") }
    part = try spread(part, shortcut, to: inputShape)
    let channelCount = shortcut.common.channels
    var head = try channels(0..<channelCount, of: input, role: "head")
    if alpha != 1 { head = try multiplied(head, by: alpha, shortcut, inputShape) }
    guard channelCount < inputShape.channels else {
      return try activated(try add(Add(), [head, part]), activation)
    }
    let tail = try channels(channelCount..<inputShape.channels, of: input, role: "tail")
    let mixed = try add(Add(), [head, part], role: "mixed")
    return try activated(try add(Concatenate(axis: 1), [mixed, tail]), activation)
  }

  /// The elements of the other image that are added.
  private mutating func taken(
    _ other: ValueID, _ shortcut: DarknetShortcut
  ) throws(WeighbridgeError) -> ValueID {
    let (shape, common, step) = (try image(other), shortcut.common, shortcut.stride)
    var source = other
    if (shape.height, shape.width) != (common.height, common.width) {
      source = try add(
        Slice([
          .init(axis: 2, start: 0, stop: (common.height - 1) * step + 1, step: step),
          .init(axis: 3, start: 0, stop: (common.width - 1) * step + 1, step: step),
        ]), [source], role: "subsample")
    }
    return try channels(0..<common.channels, of: source, role: "part")
  }

  /// Puts zeros between and after the elements of an image.
  private mutating func spread(
    _ value: ValueID, _ shortcut: DarknetShortcut, to input: ImageShape
  ) throws(WeighbridgeError) -> ValueID {
    let (common, gap) = (shortcut.common, shortcut.spacing - 1)
    var value = value
    let (height, width) = (common.height * (gap + 1), common.width * (gap + 1))
    if gap > 0 {
      let split = [common.channels, common.height, 1, common.width, 1]
      value = try add(Reshape(target: split), [value], role: "spread/split")
      value = try padded(value, by: [0, 0, 0, gap, 0, gap], role: "spread/gaps")
      value = try add(
        Reshape(target: [common.channels, height, width]), [value], role: "spread/join")
    }
    guard (height, width) != (input.height, input.width) else { return value }
    return try padded(
      value, by: [0, 0, input.height - height, input.width - width], role: "spread")
  }

  private mutating func padded(
    _ value: ValueID, by after: [Int], role: String
  ) throws(WeighbridgeError) -> ValueID {
    let pad = Pad(before: after.map { _ in 0 }, after: after, mode: .constant)
    return try add(pad, [value], role: role)
  }

  /// Multiplies the elements of the input to which something is added.
  private mutating func multiplied(
    _ value: ValueID, by alpha: Double, _ shortcut: DarknetShortcut, _ input: ImageShape
  ) throws(WeighbridgeError) -> ValueID {
    let common = shortcut.common
    guard (common.height, common.width) != (input.height, input.width) else {
      return try scaled(value, by: alpha, role: "alpha")
    }
    let factors = try constant("alpha/factors", shortcut.factors(alpha, input))
    return try add(Multiply(), [value, factors], role: "alpha")
  }
}

extension DarknetRecoveredLayer {
  /// Adds the factors of a shortcut of pjreddie's darknet.
  func describeFactors(_ section: inout DarknetSectionText) throws(WeighbridgeError) {
    for key in ["alpha", "beta"] where has(key) {
      if let factors = nodes(key).first(where: { $0.operation is Multiply })?.inputs[1] {
        section.set(key, graph[factors].constant?.doubles.first ?? 1)
      } else {
        section.set(key, try operation(Rescaling.self, key).scale[0])
      }
    }
  }
}
