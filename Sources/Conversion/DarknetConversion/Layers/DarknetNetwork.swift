import ConversionCore
package import DarknetFormat
package import GraphIR

/// The state that the sections of a `.cfg` share while they are converted to nodes.
package struct DarknetNetwork: SourceNetwork {
  /// What a section leaves for later ones.
  package struct Layer: Sendable {
    /// Its output; `nil` for a section that is for training only, such as a cost.
    package var output: ValueID?
    /// The weights by their roles, for layers that share them.
    package var weights: [String: ValueID] = [:]
    /// The head of a box section.
    package var head: DarknetHead?
    /// The number of a convolution's parameters per filter, which a box layer after it needs.
    package var numbersPerFilter: Int?
  }

  /// The fork whose arithmetic applies.
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
  /// A tree of classes, by the path in the file; `nil` where the file is not there and the weights
  /// are random.
  package let tree: @Sendable (String) throws(DarknetLayer.Failure) -> DarknetTree?
  /// How ambiguities were resolved, layer by layer.
  package var decisions: [Provenance.Decision] = []

  /// Makes an empty network; its own section must be read first.
  package init(
    fork: DarknetFork, isStrict: Bool, weights: DarknetWeightSupply,
    tree: @escaping @Sendable (String) throws(DarknetLayer.Failure) -> DarknetTree?
  ) {
    self.fork = fork
    self.isStrict = isStrict
    self.weights = weights
    self.tree = tree
  }
}

/// The boxes in a section's output.
package struct DarknetHead: Hashable, Sendable {
  /// The detector of which it is a head; its heads are not listed yet.
  package let detector: DetectorDescription
  /// Which of the detector's anchors it uses.
  package var mask: [Int] = []
  /// The factor by which the centres are stretched.
  package var scaleXY = 1.0
  /// The point of a box that its cell predicts.
  package var boxPoint = DetectorDescription.BoxPoint.center
}
