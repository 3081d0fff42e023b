import Bytes
import KerasFormat

/// A layer class of Keras: what it becomes, and what else follows from the class alone.
struct KerasLayerClass: Sendable {
  /// The name as Keras writes it; of a class that only Keras 1 has, followed by ` (Keras 1)`.
  let name: String
  /// What becomes of the masks of its inputs.
  let masks: MaskPolicy
  /// Which inputs it casts.
  let casts: CastPolicy
  /// What it says of the shape of its input.
  let shape: ShapeEvidence.Relation
  /// The objects inside it that have weights.
  let parts: KerasLayerParts
  /// Reads it as a cell of a recurrent layer; `nil` for a class that is none.
  var cell: RecurrentCell.Read?
  /// Adds its nodes; `nil` for a class that only stands in the settings of others, and for one that
  /// cannot be read.
  let build: KerasMapping.Build?

  init(
    _ name: String, masks: MaskPolicy, casts: CastPolicy, shape: ShapeEvidence.Relation,
    parts: KerasLayerParts = .activation, cell: RecurrentCell.Read? = nil,
    _ build: KerasMapping.Build?
  ) {
    self.name = name
    self.masks = masks
    self.casts = casts
    self.shape = shape
    self.parts = parts
    self.cell = cell
    self.build = build
  }

  /// Whether it stands in the settings of other classes only, which read it.
  var isPartOfOthers: Bool { build == nil && (cell != nil || parts.list != nil) }

  /// What becomes of the masks of a layer's inputs.
  enum MaskPolicy: Sendable {
    /// They end, as Keras lets them (with a warning, or without a word).
    case dropped
    /// That of the one input goes on unchanged; one that the layer is called with takes its place.
    case passed
    /// They go on since Keras 3, and end before.
    case passedSinceKeras3
    /// Those of several inputs, which are combined element by element, become one.
    case merged
    /// The builder says it.
    case ownRule
  }

  /// Which inputs a layer casts to the type that it computes in.
  enum CastPolicy: Sendable {
    /// None.
    case none
    /// Floating-point ones; whole numbers stay what they are.
    case floats
    /// Whole numbers too.
    case all
    /// Whole numbers too, up to Keras 2.
    case allBeforeKeras3
  }

  /// A class of functions of each element by itself.
  static func elementwise(_ name: String, _ build: @escaping KerasMapping.Build) -> Self {
    Self(name, masks: .passed, casts: .floats, shape: .same, build)
  }

  /// A class that combines several inputs element by element.
  static func merging(_ name: String, _ build: @escaping KerasMapping.Build) -> Self {
    Self(name, masks: .merged, casts: .floats, shape: .unknown, build)
  }

  /// A class that lets no mask go on, and of whose input its weights say nothing.
  static func plain(
    _ name: String, casts: CastPolicy = .floats, shape: ShapeEvidence.Relation = .unknown,
    _ build: @escaping KerasMapping.Build
  ) -> Self {
    Self(name, masks: .dropped, casts: casts, shape: shape, build)
  }

  /// The classes `Name1D`, `Name2D`, `Name3D` on as many spatial axes.
  static func spatial(
    _ name: String, _ axes: ClosedRange<Int> = 1...3, suffix: String = "",
    shape: (Int) -> ShapeEvidence.Relation, _ build: @escaping KerasMapping.SpatialBuild
  ) -> [Self] {
    axes.map { axes in
      .plain("\(name)\(axes)D\(suffix)", shape: shape(axes)) {
        (layer, inputs) throws(WeighbridgeError) in try build(&layer, inputs, axes)
      }
    }
  }

  /// A class that cannot be read.
  static func unread(
    _ name: String, casts: CastPolicy = .floats, shape: ShapeEvidence.Relation = .unknown,
    parts: KerasLayerParts = .activation
  ) -> Self {
    Self(name, masks: .dropped, casts: casts, shape: shape, parts: parts, nil)
  }
}
