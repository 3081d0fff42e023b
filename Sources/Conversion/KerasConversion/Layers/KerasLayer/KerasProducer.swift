import Bytes
import GraphIR
import JSON
package import KerasFormat
package import LayerCatalog

/// The version of Keras and the backend that wrote a file, as far as they determine its meaning.
package struct KerasProducer: Hashable, Sendable {
  /// The backend of Keras.
  package enum Backend: Hashable, Sendable {
    /// Does not flip kernels, and pads as TensorFlow does; also every later backend.
    case tensorflow
    /// Flips kernels by 180 degrees before the convolution, and pads in its own way.
    case theano
    /// Pads in its own way.
    case cntk

    /// Creates the backend with a name given by a file or a user.
    package init(named name: String?) {
      switch name {
      case "theano": self = .theano
      case "cntk": self = .cntk
      default: self = .tensorflow
      }
    }
  }

  /// The version of Keras whose semantics apply.
  package let version: KerasVersion
  /// Whether the version is not stated, so that it is only the most likely one.
  package let isVersionAssumed: Bool
  /// The backend on which Keras ran.
  package let backend: Backend
  /// What the backend gives where results do not fit in an integer type.
  package let integerRules: IntegerRules
  /// Whether the backend is TensorFlow; `nil` where nothing says the backend.
  package let isOnTensorFlow: Bool?
  /// Whether the backend is JAX, which has no numbers of 64 bits unless it is told to.
  package var isJAX: Bool { integerRules == .saturatingConversion }

  /// Creates a producer from its parts.
  package init(
    version: KerasVersion, isVersionAssumed: Bool = false, backend: Backend = .tensorflow,
    integerRules: IntegerRules = .wrapping, isOnTensorFlow: Bool? = nil
  ) {
    self.version = version
    self.isVersionAssumed = isVersionAssumed
    self.backend = backend
    self.integerRules = integerRules
    self.isOnTensorFlow = isOnTensorFlow
  }
}

extension KerasProducer {
  /// Whether layers cast floating-point inputs to the type in which they compute.
  enum InputCasting {
    case always, never
    /// The version is that of TensorFlow 1.13 to 1.15, whose layers do not, and of 2.0 and 2.1, whose
    /// layers do.
    case notStated
  }

  /// What the layers of its version do.
  var inputCasting: InputCasting {
    guard version < KerasVersion(2, 4) else { return .always }
    guard version.suffix.hasPrefix("-tf") else { return .never }
    if version >= KerasVersion(2, 3) { return .always }
    return version >= KerasVersion(2, 2, 4) ? .notStated : .never
  }

  /// Determines what wrote a model: as stated, or else as the form of the file suggests.
  ///
  /// - Parameters:
  ///   - version: The version that the file or the user states.
  ///   - backend: The backend that the file or the user states.
  ///   - weightNames: The names of the weights in the file.
  ///   - decide: Called with a description of each conclusion.
  init(
    of model: KerasModelRecord, version: KerasVersion?, backend: String?, weightNames: [String],
    decide: (String) -> Void
  ) {
    let isAssumed = version == nil
    let assumed = version ?? Self.assumedVersion(model)
    if isAssumed {
      decide("the file does not name its Keras version; read as Keras \(assumed) means it")
    }
    let version = assumed
    var backend = backend
    if backend == nil, version.major == 1 {
      // TensorFlow's variables are named name:0.
      let isTensorFlow = weightNames.allSatisfy { $0.contains(":") }
      let name = isTensorFlow ? "tensorflow" : "theano"
      decide(
        "the file does not name the backend; assumed to be \(name)"
          + (weightNames.isEmpty ? "" : ", as the names of the weights suggest"))
      backend = name
    }
    self.init(
      version: version, isVersionAssumed: isAssumed, backend: Backend(named: backend),
      integerRules: backend == "jax" ? .saturatingConversion : .wrapping,
      isOnTensorFlow: backend.map { $0 == "tensorflow" })
  }

  /// The generation of Keras that the form of a model indicates.
  private static func assumedVersion(_ model: KerasModelRecord) -> KerasVersion {
    // The newest that is known, which wrote most files; the meaning of masks has changed since 3.0.
    if model.isWrittenByKeras3 { return KerasVersion(3, 15) }
    return looksLikeKeras1(model) ? KerasVersion(1, 0) : KerasVersion(2, 0)
  }

  /// Whether settings have names that only Keras 1 used.
  private static func looksLikeKeras1(_ model: KerasModelRecord) -> Bool {
    let keys = ["W_regularizer", "border_mode", "dim_ordering", "inner_activation", "nb_filter"]
    for layer in model.layers {
      if layer.className == "Merge" { return true }
      for object in layer.config.nestedObjects {
        for key in keys where object[key] != nil { return true }
        if object["class_name"] == "Merge" { return true }
      }
    }
    return false
  }
}

extension JSONObject {
  /// This object and all objects in it. Takes O(values).
  var nestedObjects: [JSONObject] {
    var objects: [JSONObject] = []
    var pending: [JSONValue] = [.object(self)]
    while let value = pending.popLast() {
      switch value {
      case .array(let elements): pending += elements
      case .object(let object):
        objects.append(object)
        pending += object.keys.map { object[$0] ?? .null }
      default: break
      }
    }
    return objects
  }
}
