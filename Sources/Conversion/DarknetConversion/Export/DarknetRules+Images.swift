import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

extension DarknetRules {
  static let images: [Row] = [
    Row(MaxPooling.self) { (operation, model) throws(WeighbridgeError) in
      let input = try model.unpaddedSource()
      return try pool(
        "maxpool", DarknetWindowFit(operation.window, input: input), input, &model)
    },
    Row(AveragePooling.self) { (operation, model) throws(WeighbridgeError) in
      let input = try model.unpaddedSource()
      let fit = try DarknetWindowFit(operation.window, input: input)
      guard !operation.countIncludePad || fit.isUnpadded else {
        throw .unsupported("counts padding in a mean, and darknet can leave it out only")
      }
      return try pool("local_avgpool", fit, input, &model)
    },
    Row(GlobalAveragePooling.self) { (_, model) throws(WeighbridgeError) in
      let input = try model.unpaddedSource()
      try model.select(input)
      return try model.add(DarknetSectionText("avgpool"), layout: input.layout)
    },
    Row(GlobalMaxPooling.self) { (_, model) throws(WeighbridgeError) in
      let input = try model.unpaddedSource()
      guard input.shape.count == 3, input.shape[1] == input.shape[2] else {
        throw .unsupported(
          "pools an image that is not square, and darknet can have square windows only")
      }
      try model.select(input)
      var section = DarknetSectionText("maxpool")
      section.set("size", input.shape[1])
      section.set("stride", input.shape[1])
      section.set("padding", 0)
      return try model.add(section, layout: input.layout)
    },
    Row(Upsampling.self) { (operation, model) throws(WeighbridgeError) in
      let input = try model.unpaddedSource()
      guard operation.interpolation == .nearest, Set(operation.factors).count == 1 else {
        throw .unsupported(
          "enlarges height and width differently or by interpolation, and darknet can only repeat elements alike"
        )
      }
      try model.select(input)
      var section = DarknetSectionText("upsample")
      section.set("stride", operation.factors[0])
      return try model.add(section, layout: input.layout)
    },
    // Becomes part of the convolutions that follow it.
    Row(ZeroPadding.self) { (operation, model) throws(WeighbridgeError) in
      var output = try model.unpaddedSource()
      guard output.shape.count == 3 else {
        throw .unsupported(
          "pads arrays that are no images, and darknet can pad images only")
      }
      output.padding = operation.borders
      return output
    },
  ]

  static let joins: [Row] = [
    Row(Add.self) { (_, model) throws(WeighbridgeError) in
      let terms = try model.sources()
      guard Set(terms.map(\.shape)).count == 1, Set(terms.map(\.hasDarknetOrder)).count == 1,
        Set(terms.map(\.layout)).count == 1
      else {
        throw .unsupported(
          "adds layers of different sizes or orders, and darknet can add those of the same only")
      }
      guard model.fork == .alexeyab || terms.count == 2 else {
        throw .unsupported(
          "adds more than two layers, and pjreddie's darknet can add two; AlexeyAB's can add more "
            + "(\(APIName.exportDarknet) alexeyab)")
      }
      let ordered = terms.sorted { $0.section > $1.section }
      try model.select(ordered[0])
      var section = DarknetSectionText("shortcut")
      section.set("from", ordered.dropFirst().map { "\($0.section)" }.joined(separator: ","))
      section.set("activation", model.activation())
      return try model.add(section, layout: terms[0].layout)
    },
    Row(Concatenate.self) { (operation, model) throws(WeighbridgeError) in
      let terms = try model.sources()
      let rank = model.outputType.rank
      guard Set(terms.map(\.layout)).count == 1,
        operation.axis == (rank == 4 ? terms[0].layout.channelAxis(rank: 4) : 1),
        rank == 4 || terms.allSatisfy({ $0.hasDarknetOrder && $0.shape.count == 3 })
      else {
        throw .unsupported(
          "concatenates along another axis than the channels, and darknet can join channels only")
      }
      var section = DarknetSectionText("route")
      section.set("layers", terms.map { "\($0.section)" }.joined(separator: ","))
      return try model.add(section, layout: terms[0].layout)
    },
    Row(Multiply.self) { (_, model) throws(WeighbridgeError) in
      let terms = try model.sources()
      guard terms.count == 2,
        terms[0].layout == terms[1].layout || terms.contains(where: \.hasDarknetOrder)
      else {
        throw .unsupported(
          "multiplies several layers or layers of different orders, and darknet can multiply two of one order only"
        )
      }
      let isElementwise = terms[0].shape == terms[1].shape
      let counts = terms.map { $0.shape.dropFirst().reduce(1, *) }
      let ordered = counts[0] < counts[1] ? [terms[1], terms[0]] : terms
      try model.select(ordered[1])
      var section = DarknetSectionText(isElementwise ? "sam" : "scale_channels")
      section.set("from", ordered[0].section)
      section.set("activation", "linear")
      return try model.add(section, layout: ordered[0].layout)
    },
  ]

  private static func pool(
    _ name: String, _ fit: DarknetWindowFit, _ input: DarknetSectionOutput,
    _ model: inout DarknetTranslation
  ) throws(WeighbridgeError) -> DarknetSectionOutput {
    guard fit.dilation == 1, let padding = fit.poolingPadding else {
      throw .unsupported(
        "pads a pooling by different amounts or dilates it, and darknet can only pad all sides alike"
      )
    }
    try model.select(input)
    var section = DarknetSectionText(name)
    section.set("size", fit.window.size[0])
    section.set(strides: fit.window.strides)
    section.set("padding", padding, unless: fit.window.size[0] - 1)
    return try model.add(section, layout: input.layout)
  }
}

extension DarknetTranslation {
  /// The outputs that the operator combines, to each of which a section must be able to refer.
  fileprivate func sources() throws(WeighbridgeError) -> [DarknetSectionOutput] {
    var sources: [DarknetSectionOutput] = []
    for (position, operand) in operands.enumerated() {
      guard operand.constant == nil else {
        throw .unsupported(
          "adds or multiplies a constant, and darknet can add and multiply layers only")
      }
      sources.append(try unpaddedSource(position))
    }
    guard sources.allSatisfy({ $0.section >= 0 }) else {
      throw .unsupported("takes the network's input, and a section of darknet can name layers only")
    }
    return sources
  }
}

/// A window on an image, with darknet's padding.
struct DarknetWindowFit {
  /// The padding before height and width, in steps of the dilation.
  let before: Int
  let dilation: Int
  /// Whether there is no padding at all.
  let isUnpadded: Bool
  let window: Window
  private let dimensions: [Int]
  private let counts: [Int]

  /// - Throws: ``WeighbridgeError/Code/unsupported`` for windows that are not square, or whose
  ///   padding before differs between the axes.
  init(
    _ window: Window, input: DarknetSectionOutput
  ) throws(WeighbridgeError) {
    guard window.size.count == 2, input.shape.count == 3, window.size[0] == window.size[1],
      window.dilation[0] == window.dilation[1]
    else {
      throw .unsupported(
        "has a window that is not square, or not on an image, and darknet can have square windows on images only"
      )
    }
    var (before, after, counts) = ([Int](), [Int](), [Int]())
    for axis in 0..<2 {
      let padding = input.padding.map { ($0.before[axis], $0.after[axis]) } ?? (0, 0)
      let dimension = input.shape[axis + 1] + padding.0 + padding.1
      do throws(ShapeError) {
        let placement = try window.placement(axis, dimension: dimension)
        before.append(placement.before + padding.0)
        after.append(placement.after + padding.1)
        counts.append(placement.count)
      } catch { throw .unsupported(error.reason) }
    }
    guard before[0] == before[1], before[0] % window.dilation[0] == 0 else {
      throw .unsupported(
        "pads the axes by different amounts, and darknet can only pad all sides alike")
    }
    self.before = before[0] / window.dilation[0]
    dilation = window.dilation[0]
    isUnpadded = (before + after).allSatisfy { $0 == 0 }
    self.window = window
    dimensions = Array(input.shape.dropFirst())
    self.counts = counts
  }

  /// darknet's total padding of a pooling, of which the smaller half comes before; `nil` if no
  /// padding gives the same windows.
  var poolingPadding: Int? {
    [window.size[0] - 1, 2 * before, 2 * before + 1].first { padding in
      padding / 2 == before
        && dimensions.indices.allSatisfy {
          (dimensions[$0] + padding - window.size[$0]) / window.strides[$0] + 1 == counts[$0]
        }
    }
  }
}
