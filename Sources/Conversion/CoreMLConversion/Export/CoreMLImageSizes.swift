import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// The sizes that images of unknown size may have, and the shapes that result.
struct CoreMLImageSizes {
  /// The distinct sizes, the default one first; empty where any size is possible.
  let sizes: [ImageSize]
  /// The types of all values for each size, by ``ValueID/index``.
  private let types: [[TensorType]]

  /// - Parameters:
  ///   - graph: The graph, channels first.
  ///   - inputTypes: The types of its inputs, with a batch of one.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when no image is of unknown size, or the network
  ///   cannot take one of the sizes.
  init(
    _ sizes: [ImageSize], _ graph: Graph, _ inputTypes: [TensorType]
  ) throws(WeighbridgeError) {
    var unique: [ImageSize] = []
    for size in sizes where !unique.contains(size) { unique.append(size) }
    self.sizes = unique
    guard unique.isEmpty || inputTypes.contains(where: Self.isImageOfUnknownSize) else {
      let inputs = zip(graph.inputs, inputTypes).map { "\($0.name) is \($1)" }
      throw .mismatch(
        "sizes of images are given, and no input takes images of an unknown size: "
          + inputs.joined(separator: ", "))
    }
    var types: [[TensorType]] = []
    for size in unique {
      guard size.width > 0, size.height > 0 else {
        throw .mismatch("the size \(size) is given for images, expected at least 1 x 1")
      }
      do throws(WeighbridgeError) {
        let sizedTypes = try inputTypes.map { (type) throws(WeighbridgeError) in
          try Self.withSize(type, size)
        }
        types.append(try graph.specialized(to: sizedTypes))
      } catch {
        throw WeighbridgeError(
          .mismatch, "the model takes no images of \(size): \(error.reason)", place: error.place)
      }
    }
    self.types = types
  }

  /// Whether a type is that of images of unknown size.
  private static func isImageOfUnknownSize(_ type: TensorType) -> Bool {
    type.rank == 4 && type.shape[2...].contains { $0.value == nil }
  }

  private static func withSize(
    _ type: TensorType, _ size: ImageSize
  ) throws(WeighbridgeError) -> TensorType {
    guard isImageOfUnknownSize(type) else { return type }
    let dimensions = [Dimension.fixed(size.height), .fixed(size.width)]
    guard zip(type.shape[2...], dimensions).allSatisfy({ $0.agrees(with: $1) }) else {
      throw .mismatch("an input is \(type), and does not take images of the given size")
    }
    return type.with(shape: type.shape[..<2] + dimensions)
  }

  /// Returns the shapes that a value may have, that of the default size first; `nil` where they are
  /// not known, or all sizes are possible.
  func shapes(of id: ValueID) -> [[Int]]? {
    let shapes = types.map { $0[id.index].fixedShape }
    guard !shapes.isEmpty, !shapes.contains(nil) else { return nil }
    var unique: [[Int]] = []
    for case let shape? in shapes where !unique.contains(shape) { unique.append(shape) }
    return unique
  }
}
