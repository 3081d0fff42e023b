/// Something that a user can say of a source, named as the program calls it.
package enum ReadOption: String, CaseIterable, Sendable {
  case architecture = "--architecture"
  case kerasVersion = "--keras-version"
  case kerasBackend = "--keras-backend"
  case inputShape = "--input-shape"
  case tokenIDs = "--from-token-ids"
  case customLayers = "--custom-layers"
  case keepUnknown = "--keep-unknown"
  case weights = "--weights"
  case fork = "--darknet"
  case data = "--data"
  case randomWeights = "--random-weights"
  case fixedInput = "--set"
  case strict = "--strict"
}

extension ReadOptions {
  /// What is said.
  package var given: [ReadOption] {
    ReadOption.allCases.filter { option in
      switch option {
      case .architecture: architecture != nil
      case .kerasVersion: kerasVersion != nil
      case .kerasBackend: kerasBackend != nil
      case .inputShape: !inputShapes.isEmpty
      case .tokenIDs: startsAtTokens
      case .customLayers: customLayers != nil
      case .keepUnknown: keepsUnknown
      case .weights: weights != nil
      case .fork: darknetFork != nil
      case .data: darknetData != nil
      case .randomWeights: randomSeed != nil
      case .fixedInput: !fixedInputs.isEmpty
      case .strict: isStrict
      }
    }
  }
}
