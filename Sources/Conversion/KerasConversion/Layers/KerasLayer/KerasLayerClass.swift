import Bytes
import KerasFormat

/// A layer class of Keras: how it is read, and everything else that follows from the class alone.
struct KerasLayerClass: Sendable {
  /// The name as Keras writes it, followed by ` (Keras 1)` for a class that only Keras 1 has.
  let name: String
  /// How the masks of its inputs are handled.
  let masks: MaskPolicy
  /// The inputs that it casts.
  let casts: CastPolicy
  /// What its outputs or weights imply about the shape of its input.
  let shape: ShapeEvidence.Relation
  /// The objects inside it that have weights.
  let parts: KerasLayerParts
  /// The types in which a `TimeDistributed` of Keras 3 computes it.
  private(set) var distributedTypes = DistributedTypes.own
  /// Reads it as a cell of a recurrent layer; `nil` for a class that is not a cell.
  var cell: RecurrentCell.Read?
  /// Adds its nodes; `nil` for a class that occurs only in the settings of others, and for one that
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

  /// Whether it occurs only in the settings of other classes, which read it.
  var isPartOfOthers: Bool { build == nil && (cell != nil || parts.list != nil) }

  /// How the masks of a layer's inputs are handled.
  enum MaskPolicy: Sendable {
    /// They are dropped, as in Keras (with or without a warning).
    case dropped
    /// The mask of the only input is passed on unchanged, unless the call is given another one.
    case passed
    /// They are passed on since Keras 3, and dropped before.
    case passedSinceKeras3
    /// The masks of several inputs, which are combined element by element, are merged.
    case merged
    /// The builder handles them.
    case handledByBuilder
  }

  /// The inputs that a layer casts to the type in which it computes.
  enum CastPolicy: Sendable {
    /// None.
    case none
    /// Floating-point ones; integers are unchanged.
    case floats
    /// Integers too.
    case all
    /// Integers too up to Keras 2; since Keras 3 the layers inside take them as they are.
    case allToKeras2
    /// Integers too; since Keras 3 to float32, whatever the layer's type is.
    case integersToFloat32
    /// Integers too, but not in Keras 2.4.
    case allButKeras24
    /// Integers too, since Keras 2.8.
    case images
    /// Integers too, from Keras 2.8 to Keras 2.
    case imagesOfKeras2
    /// Integers too, from Keras 2.8 to 3.5.
    case imagesToKeras35
    /// All up to Keras 2, and none since: the builder handles them.
    case noneSinceKeras3

    /// Whether a layer without weights may have an integer type.
    var allowsIntegerTypes: Bool {
      [.floats, .images, .imagesOfKeras2, .imagesToKeras35].contains(self)
    }

    /// Whether a version casts integers.
    func includesIntegers(_ version: KerasVersion) -> Bool {
      switch self {
      case .none, .floats: false
      case .all, .integersToFloat32: true
      case .allButKeras24: version < KerasVersion(2, 4) || version >= KerasVersion(2, 5)
      case .images: version >= KerasVersion(2, 8)
      case .imagesOfKeras2: version >= KerasVersion(2, 8) && version.major < 3
      case .imagesToKeras35: version >= KerasVersion(2, 8) && version < KerasVersion(3, 6)
      case .allToKeras2, .noneSinceKeras3: version.major < 3
      }
    }
  }

  /// The types in which a `TimeDistributed` of Keras 3 computes a layer: it does not call it, which
  /// would cast the inputs, but computes what a call computes.
  enum DistributedTypes: Sendable {
    /// The layer's own, for which it asks while it computes; the wrapper's must be equal.
    case own
    /// That of its inputs, which the wrapper casts.
    case inputs
    /// That of its inputs, which its weights must have.
    case weights
    /// The wider of those of its inputs and its weights.
    case product
    /// That of its inputs where it has 32 bits or more; the result is cast to the layer's own.
    case result
  }

  /// The same class, computed in other types by a `TimeDistributed`.
  func distributed(_ types: DistributedTypes) -> Self {
    var copy = self
    copy.distributedTypes = types
    return copy
  }

  /// Creates a class of elementwise functions.
  static func elementwise(_ name: String, _ build: @escaping KerasMapping.Build) -> Self {
    Self(name, masks: .passed, casts: .floats, shape: .same, build)
  }

  /// Creates a class that combines several inputs element by element.
  static func merging(_ name: String, _ build: @escaping KerasMapping.Build) -> Self {
    Self(name, masks: .merged, casts: .floats, shape: .unknown, build)
  }

  /// Creates a class that drops masks, and whose weights by default imply nothing about its input.
  static func plain(
    _ name: String, casts: CastPolicy = .floats, shape: ShapeEvidence.Relation = .unknown,
    _ build: @escaping KerasMapping.Build
  ) -> Self {
    Self(name, masks: .dropped, casts: casts, shape: shape, build)
  }

  /// Creates the classes `Name1D`, `Name2D`, `Name3D` for one to three spatial axes.
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

  /// Creates a class without a builder, which does not become operators by itself.
  static func withoutBuilder(
    _ name: String, casts: CastPolicy = .floats, shape: ShapeEvidence.Relation = .unknown,
    parts: KerasLayerParts = .activation
  ) -> Self {
    Self(name, masks: .dropped, casts: casts, shape: shape, parts: parts, nil)
  }
}

extension [KerasLayerClass] {
  /// The same classes, computed in other types by a `TimeDistributed`.
  func distributed(_ types: KerasLayerClass.DistributedTypes) -> Self {
    map { $0.distributed(types) }
  }
}
