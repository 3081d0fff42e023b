package import Bytes

/// A kind of folder that a user may mistake for a model, with advice on what to do.
package struct ForeignFolder: Sendable {
  /// Files that such a folder contains.
  package let members: [String]
  /// Returns what the folder at a path is and what to do, phrased to follow its name.
  package let explanation: @Sendable (String) -> String

  package static let all: [ForeignFolder] = [
    ForeignFolder(members: ["config.json", "model.weights.h5"]) { name in
      "is a .keras archive as a folder (zipped=False), which is not read as a whole; give "
        + "\(name)/model.weights.h5 with \(APIName.architecture) \(name)/config.json, and "
        + "\(APIName.kerasVersion) as \(name)/metadata.json has it"
    },
    ForeignFolder(members: ["coremldata.bin"]) { _ in
      "is a model that Core ML compiled (.mlmodelc), which cannot be read; give the .mlmodel that it "
        + "was made from"
    },
    ForeignFolder(members: ["checkpoint"]) { name in
      "is a folder with checkpoints of TensorFlow; give the index of one: \(name)/NAME.index"
    },
    ForeignFolder(members: ["data.pkl", "version"]) { _ in
      "is a PyTorch archive that was unpacked; " + ForeignFile.torchAdvice
    },
  ]

  /// Refuses a folder where a file is expected.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with what the folder is, if it is of a known kind;
  ///   ``WeighbridgeError/Code/missing`` for others.
  package static func refuse(_ path: String) throws(WeighbridgeError) {
    guard isFolder(path) else { return }
    let names = Set(FolderListing.names(in: path))
    guard let kind = all.first(where: { names.isSuperset(of: $0.members) }) else {
      throw .missing(
        "is a folder, not a file; the folders that are read are Core ML packages (.mlpackage), "
          + "SavedModels and models of TensorFlow.js"
      ).at(file: path)
    }
    let name = path.hasSuffix("/") ? String(path.dropLast()) : path
    throw .unsupported(kind.explanation(name)).at(file: path)
  }
}
