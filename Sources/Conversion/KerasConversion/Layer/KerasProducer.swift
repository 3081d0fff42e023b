package import KerasFormat

/// Who wrote a file, as far as what it means depends on it.
package struct KerasProducer: Hashable, Sendable {
  /// What Keras computed with.
  package enum Backend: Hashable, Sendable {
    /// Slides kernels as they are, and pads as TensorFlow does; also every later backend.
    case tensorflow
    /// Turns kernels by 180 degrees before it slides them, and pads in its own way.
    case theano
    /// Pads in its own way.
    case cntk

    /// The backend of a name that a file or a user gives.
    package init(named name: String?) {
      switch name {
      case "theano": self = .theano
      case "cntk": self = .cntk
      default: self = .tensorflow
      }
    }
  }

  /// The version of Keras whose meaning applies.
  package let version: KerasVersion
  /// Whether nothing states the version, so that it is only the likeliest one.
  package let isVersionAssumed: Bool
  /// The backend that Keras ran on.
  package let backend: Backend

  /// A writer from its parts.
  package init(
    version: KerasVersion, isVersionAssumed: Bool = false, backend: Backend = .tensorflow
  ) {
    self.version = version
    self.isVersionAssumed = isVersionAssumed
    self.backend = backend
  }
}
