import Bytes
import ConversionCore
import GraphIR
import TestSupport
import WBMConversion
import WBMFormat

extension ModelContent {
  /// Writes the model as a `.wbm` with another header, digests and all.
  func write(to path: String, changing change: (inout WBMHeader) -> Void) throws {
    let folder = try TemporaryFolder()
    _ = try WBMExporter.write(self, sources: [], to: folder.file("whole.wbm"), replacing: false)
    let file = try WBMFile(path: folder.file("whole.wbm"))
    var header = file.header
    change(&header)
    var writer = try WBMWriter(path: path, header: header)
    for index in header.tensors.indices {
      try writer.append(file.range(ofTensor: index), of: file.store)
    }
    try writer.commit(replacing: false)
  }
}
