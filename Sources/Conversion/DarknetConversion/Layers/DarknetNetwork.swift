import Bytes
import ConversionCore
package import DarknetFormat
package import GraphIR

/// The state that the sections of a `.cfg` share while they are converted to nodes.
package struct DarknetNetwork: SourceNetwork {
  /// What later sections may need from a section.
  package struct Layer: Sendable {
    /// Its output; `nil` for a section that is for training only, such as `[cost]`.
    package var output: ValueID?
    /// The weights by role, for layers that share them.
    package var weights: [String: ValueID] = [:]
    /// The head of a box section.
    package var head: DarknetHead?
    /// The number of parameters per filter of a convolution, to explain weights that do not fit.
    package var parametersPerFilter: Int?
  }

  /// The fork of darknet whose results the graph must reproduce.
  package let fork: DarknetFork
  /// Whether something that darknet silently ignores is an error.
  package let isStrict: Bool
  /// The graph so far.
  package var graph = GraphBuilder()
  /// The remaining weights, from which the next layer takes its own.
  package var weights: DarknetWeightSupply
  /// The layers so far.
  package var layers: [Layer] = []
  /// The current layer's input.
  package var input = ValueID(0)
  /// Returns the tree of classes at a path in the file; `nil` when it does not exist and the
  /// weights are random.
  package let tree: @Sendable (String) throws(DarknetLayer.Failure) -> DarknetTree?
  /// Whether the other fork reads the whole file, and none of it is known to this fork only.
  package let isReadByOtherFork: @Sendable () -> Bool
  /// How ambiguities were resolved, layer by layer.
  package var decisions: [Provenance.Decision] = []

  /// Advice to read the file as the other fork, if that works; empty otherwise.
  package var otherForkAdvice: String {
    isReadByOtherFork() ? " (\(APIName.darknet) \(fork.other.rawValue))" : ""
  }

  /// Creates an empty network; its own section must be read first.
  package init(
    fork: DarknetFork, isStrict: Bool, weights: DarknetWeightSupply,
    isReadByOtherFork: @escaping @Sendable () -> Bool = { false },
    tree: @escaping @Sendable (String) throws(DarknetLayer.Failure) -> DarknetTree?
  ) {
    self.fork = fork
    self.isStrict = isStrict
    self.weights = weights
    self.isReadByOtherFork = isReadByOtherFork
    self.tree = tree
  }
}

/// The boxes in a section's output.
package struct DarknetHead: Hashable, Sendable {
  /// The detector to which it belongs; the list of its heads is still empty.
  package let detector: DetectorDescription
  /// The indices of the detector's anchors that it uses.
  package var mask: [Int] = []
  /// The factor by which centers are scaled around the middle of their cells.
  package var scaleXY = 1.0
  /// The point of a box that is predicted by its cell.
  package var boxPoint = DetectorDescription.BoxPoint.center
}
