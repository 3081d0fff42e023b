import Bytes

extension ForeignFile {
  /// Files that belong to a SavedModel or a checkpoint of TensorFlow, by themselves.
  static let tensorFlow: [ForeignFile] = [
    ForeignFile { sample in
      guard sample.begins("model_checkpoint_path") else { return nil }
      let name = String(decoding: sample.start, as: UTF8.self).split(separator: "\"").dropFirst()
        .first
      let index = name.map { "\(FilePath(sample.path).sibling(FilePath(String($0)).name)).index" }
      return
        "says which checkpoint of TensorFlow is the latest; give that one: \(index ?? "NAME.index")"
    },
    ForeignFile { sample in
      sample.start.first == 0x0A && sample.contains("_tf_keras_")
        ? "is a part of a SavedModel, the description of its layers; give the folder that it is in"
        : nil
    },
    ForeignFile { sample in
      let parts = FilePath(sample.path).name.split(separator: ".data-")
      guard parts.count == 2, parts[1].split(separator: "-of-").count == 2 else { return nil }
      return "has the bytes of a checkpoint of TensorFlow, whose index says what they are; give "
        + FilePath(sample.path).sibling("\(parts[0]).index")
    },
    ForeignFile { sample in
      let name = FilePath(sample.path).name
      // Asked first, because the expression takes 0.4 ms to compile.
      guard name.contains("-shard"), name.contains(/-shard[0-9]+of[0-9]+(\.bin)?$/) else {
        return nil
      }
      return "has weights of a model of TensorFlow.js, whose model.json says what they are; give "
        + FilePath(sample.path).sibling("model.json")
    },
    ForeignFile { sample in
      // A MetaGraphDef begins with a MetaInfoDef, which lists the operators.
      guard sample.start.first == 0x0A, FilePath(sample.path).name.hasSuffix(".meta") else {
        return nil
      }
      return
        "is the graph of a checkpoint of TensorFlow 1, which is not read; give the checkpoint's "
        + "index, \(FilePath(sample.path).replacingExtension("index")), with the architecture"
    },
  ]
}
