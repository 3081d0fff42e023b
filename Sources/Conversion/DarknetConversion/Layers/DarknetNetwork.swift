import ConversionCore
package import DarknetFormat
package import GraphIR

/// What the sections of a `.cfg` share while they become nodes.
package struct DarknetNetwork: SourceNetwork {
  /// What a section left for later ones.
  package struct Layer: Sendable {
    /// Its output; `nil` for a section that only trains, such as a cost.
    package var output: ValueID?
    /// The weights by their roles, for layers that share them.
    package var weights: [String: ValueID] = [:]
    /// What a section of boxes says of them.
    package var head: DarknetHead?
    /// How the numbers of a layer of boxes depend on the filters before it.
    package var numbersPerFilter: Int?
  }

  /// Whose arithmetic applies.
  package let fork: DarknetFork
  /// Whether what darknet passes over in silence is an error.
  package let isStrict: Bool
  /// The graph so far.
  package var graph = GraphBuilder()
  /// The weights, of which the next layer takes the first.
  package var weights: DarknetWeightSupply
  /// The layers so far.
  package var layers: [Layer] = []
  /// The current layer's input.
  package var input = ValueID(0)
  /// A tree of classes, by the path in the file; `nil` where the file is not there and the weights
  /// are random.
  package let tree: @Sendable (String) throws(DarknetLayer.Failure) -> DarknetTree?
  /// How things were understood, layer by layer.
  package var decisions: [Provenance.Decision] = []

  /// A network without anything yet; ``begin(_:)`` comes first.
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

/// What a section says of the boxes that its output holds.
package struct DarknetHead: Hashable, Sendable {
  /// The detector of which it is a head; its heads are not listed yet.
  package let detector: DetectorDescription
  /// Which of the detector's anchors it uses.
  package var mask: [Int] = []
  /// How much the centres are stretched.
  package var scaleXY = 1.0
  /// The point of a box that its cell places.
  package var boxPoint = DetectorDescription.BoxPoint.center
}
