import Bytes
import ConversionCore
import FormatRegistry
import Foundation
import KerasConversion
import KerasFormat
import ProtobufWire
import TensorFlowConversion
import TensorFlowFormat

/// The files of checkpoints and SavedModels.
extension FuzzTarget {
  static let tensorFlow: [FuzzTarget] = [
    bundle, objectGraph, kerasMetadata, savedModel, tensorFlowJS,
  ]

  /// The index of a checkpoint, whose tensors are in a file of zeros. Checksums are repaired, so that
  /// the entries behind them are reached.
  static let bundle = FuzzTarget("bundle", [".index"]) { bytes in
    let data = try ScratchFile(
      [UInt8](repeating: 0, count: 1 << 14), ending: ".data-00000-of-00001")
    defer { data.remove() }
    let path = data.path.replacing(".data-00000-of-00001", with: ".index")
    var bytes = bytes
    let errors = ChecksumRepair.repair(&bytes, atMost: 3) { bytes in
      do throws(WeighbridgeError) {
        let bundle = try TensorBundle(ByteStore(bytes), path: path)
        for name in bundle.tensors.keys {
          _ = try? bundle.bytes(of: name)
          _ = try? bundle.strings(of: name)
        }
        return []
      } catch { return [error] }
    }
    if let first = errors.first { throw first }
  }

  /// The graph of objects in a checkpoint.
  static let objectGraph = FuzzTarget("object-graph", [], made: [objectGraphSample]) { bytes in
    let graph = try ObjectGraph(bytes.span.bytes)
    for object in graph.objects.indices { _ = graph.elements(ofList: object) }
  }

  static let kerasMetadata = FuzzTarget("keras-metadata", [KerasMetadataFile.name]) { bytes in
    _ = try KerasMetadataFile(bytes.span.bytes)
  }

  static let savedModel = FuzzTarget("saved-model", [SavedModelFile.name], sizeLimit: 1 << 18) {
    let store = ByteStore($0)
    // With the variables of a sample.
    let path = "Samples/TensorFlow/graphs/2.15/images/saved_model/\(SavedModelFile.name)"
    _ = try? KerasTensorFlowFile(store, path: path)
    _ = try TensorFlowSource(store, path: path, options: ReadOptions()).content()
  }

  /// The manifest and the topology of TensorFlow.js, with the weights of samples.
  static let tensorFlowJS = FuzzTarget("tensorflow-js", ["model.json"]) { bytes in
    let samples = ["TensorFlowJS/convolutions", "TensorFlow/graphs/2.15/images/tfjs"]
    for path in samples.map({ "Samples/\($0)/model.json" }) {
      let format: any ModelSource.Type =
        TensorFlowJSFile.recognizesGraphModel(bytes.span.bytes)
        ? TensorFlowSource.self : KerasSource.self
      var source = try? format.init(
        reading: ByteStore(bytes), path: path, options: ReadOptions())
      _ = try source?.content()
    }
  }

  /// Two objects that refer to each other, one of which has a tensor.
  private static let objectGraphSample: [UInt8] = {
    func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
      ProtobufField.header(number, byteCount: bytes.count) + bytes
    }
    func child(_ index: UInt8, _ name: String) -> [UInt8] {
      field(1, [8, index] + field(2, Array(name.utf8)))
    }
    let tensor = ["VARIABLE_VALUE", "dense/kernel", "layer-0/kernel"].enumerated().flatMap {
      field($0.offset + 1, Array($0.element.utf8))
    }
    return field(1, child(1, "layer-0")) + field(1, child(0, "root") + field(2, tensor))
  }()
}
