import Bytes

extension ForeignFile {
  /// Images and documents.
  package static let imagesAndDocuments: [ForeignFile] = [
    ForeignFile([0xFF, 0xD8, 0xFF], "is a JPEG image, not a model\(imageAdvice)"),
    ForeignFile([0x89, 0x50, 0x4E, 0x47], "is a PNG image, not a model\(imageAdvice)"),
    ForeignFile("GIF8", "is a GIF image, not a model"),
    ForeignFile("%PDF-", "is a PDF document, not a model"),
  ]

  private static let imageAdvice = "; to find objects in it, use \(APIName.detect)"

  /// JSON files of other programs.
  package static let jsonFiles: [ForeignFile] = [
    ForeignFile { sample in
      guard sample.start.first == UInt8(ascii: "{") else { return nil }
      let text = sample.text
      let key = text.split(maxSplits: 4) { "{ \n\r\t".contains($0) }.first ?? ""
      if text.contains("\"nbformat\"") || key.hasPrefix("\"cells\"") {
        return "is a Jupyter notebook, not a model; run it, and give the file that it saves"
      }
      if text.contains("\"weight_map\"") {
        return "lists weights that are split over several files (max_shard_size), which cannot be "
          + "read yet; save them in one file"
      }
      return nil
    }
  ]

  /// Protobuf messages. They have no signature, so this is a guess about a message that is in no
  /// readable format.
  package static let protobufFiles: [ForeignFile] = [
    ForeignFile { sample in
      guard !sample.isText else { return nil }
      return sample.begins([0x0A]) && sample.contains("Convolution")
        ? "looks like weights of Caffe (.caffemodel), which cannot be read" : nil
    }
  ]

  /// Text files that are not models but may accompany one.
  package static let textFiles: [ForeignFile] = [
    ForeignFile { sample in
      guard ["{", "\"{"].contains(where: sample.text.hasPrefix) else { return nil }
      return "is JSON text, and a model needs weights too; if it is an architecture of Keras, give "
        + "the file with the weights, and this one with \(APIName.architecture)"
    },
    ForeignFile { sample in
      sample.isText && ["layer {", "layers {", "layer{"].contains { sample.contains($0) }
        ? "looks like a network of Caffe (.prototxt), which cannot be read" : nil
    },
    ForeignFile { sample in
      sample.isText
        ? "is a text file, not a model; the only text files that can be read are darknet .cfg "
          + "files, which begin with [net] or [network]" : nil
    },
  ]
}
