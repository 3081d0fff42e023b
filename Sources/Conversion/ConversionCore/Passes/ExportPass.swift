package import Bytes
package import GraphIR
import LayerCatalog

/// A change to a model that prepares it for a target. Each target states its own in a list, in the
/// order in which they are made.
package enum ExportPass: Hashable, Sendable {
  /// Replaces the heads of a detector by the boxes that they encode (``DetectionDecoding``).
  ///
  /// - Parameter ofDetectorsOnly: Whether other models stay as they are; otherwise they are refused.
  case decodeBoxes(ofDetectorsOnly: Bool)
  /// Returns the heads of a detector before the activations that are part of its last layer.
  case removeHeadActivations
  /// Gives a batch of one to arrays that have none (``BatchOfOne``).
  ///
  /// - Parameter ranks: The ranks of such arrays.
  case addBatch(ranks: ClosedRange<Int>)
  /// Sets the size of the batch, the first axis of each input if it is open (``FixedBatch``).
  case fixBatch(size: Int)
  /// Folds batch normalizations into weights (``BatchNormalizationFolding``).
  case foldBatchNormalization
  /// Moves channels to pixels, or back, with one operator (``PixelBlocks``).
  case findPixelBlocks
  /// Gives image operators the layout of the target's table (``LayoutConversion``).
  ///
  /// - Parameter transposesPorts: Whether input and output images get that layout, too.
  case convertLayout(transposesPorts: Bool)
  /// Takes one example at a time (``SingleExample``).
  case takeSingleExample
  /// Leaves out axes of size 1 where the target cannot hold an array (``UnitAxes``), once it takes one example.
  ///
  /// - Parameters:
  ///   - maximumRank: How many axes an array has at most after the first one.
  ///   - startsWithOne: Whether the first axis is always of size 1.
  case dropUnitAxes(maximumRank: Int, startsWithOne: Bool)
}

/// A model as a target takes it.
package struct PreparedModel: Sendable {
  /// The graph.
  package private(set) var graph: Graph
  /// The types of all values, by ``ValueID/index``.
  package private(set) var types: [TensorType]
  /// The description of the model with this graph.
  package private(set) var description: ModelDescription
  /// What differs from the source, as messages.
  package private(set) var losses: [String] = []

  /// Prepares a model.
  ///
  /// - Parameters:
  ///   - content: The model.
  ///   - passes: The changes, in order.
  ///   - target: The target's name.
  ///   - table: How the target writes operators.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the model cannot be changed so;
  ///   ``WeighbridgeError/Code/mismatch`` when its description does not fit.
  package init<Builder>(
    _ content: ModelContent, _ passes: [ExportPass], for target: String,
    _ table: ExportTable<Builder>
  ) throws(WeighbridgeError) {
    (graph, description) = (content.graph, content.description)
    types = graph.values.map(\.type)
    for pass in passes { try apply(pass, target, table) }
    if !Builder.wrapsIntegers { losses += wideInputs }
  }

  /// Says which inputs take numbers that are not exact where there are floating-point numbers only.
  private var wideInputs: [String] {
    let isIndex = Set(graph.indexInputs.map(\.name))
    let wide = graph.inputs.filter { port in
      let type = types[port.value.index].elementType
      return type.isInteger && type.byteCount >= 4 && !isIndex.contains(port.name)
    }
    return wide.map { "\($0.name) takes whole numbers that are exact up to 2^24 only, as float32" }
  }

  private mutating func apply<Builder>(
    _ pass: ExportPass, _ target: String, _ table: ExportTable<Builder>
  ) throws(WeighbridgeError) {
    switch pass {
    case .decodeBoxes(let ofDetectorsOnly):
      if ofDetectorsOnly, description.detector == nil { return }
      graph = try boxes()
      losses += DetectionDecoding.losses(description)
      description.outputs = []  // they describe the heads
    case .removeHeadActivations:
      let detector = try DetectorInterface(graph, description).detector
      graph = try graph.removingActivations(ofHeadsOf: detector, for: target)
    case .addBatch(let ranks): graph = try BatchOfOne(graph, ranks: ranks).graph
    case .fixBatch(let size): graph = try FixedBatch(graph, size: size).graph
    case .foldBatchNormalization: graph = try BatchNormalizationFolding(graph).graph
    case .findPixelBlocks: graph = try PixelBlocks(graph).graph
    case .convertLayout(let transposesPorts):
      guard let layout = table.layout else { return }
      let conversion = try LayoutConversion(
        graph, to: layout, transposesPorts: transposesPorts, outputGroup: description.headNames,
        needsLayout: table.needsLayout)
      graph = conversion.graph
      losses += conversion.losses
      description = conversion.adapting(description)
    case .takeSingleExample:
      types = try SingleExample.types(graph, for: target)
      return
    case .dropUnitAxes(let maximumRank, let startsWithOne):
      let changed = try UnitAxes(
        graph, types, maximumRank: maximumRank, startsWithOne: startsWithOne
      ).graph
      guard let changed else { return }
      graph = changed
    }
    types = graph.values.map(\.type)
  }

  /// Returns the graph of a detector that returns boxes.
  private func boxes() throws(WeighbridgeError) -> Graph {
    do throws(WeighbridgeError) {
      return try DetectionDecoding(graph, description).graph
    } catch {
      throw WeighbridgeError(
        error.code, "\(error.reason) (\(APIName.withoutNMS) writes the heads as they are)",
        place: error.place)
    }
  }
}
