import Bytes
import ConversionCore
import ModelUse
import WBMConversion

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes the typed Swift interface of a `.wbm` file, as `weighbridge swift` does for all formats.
///
/// Each package that uses WeighbridgePlugin compiles what the plugin runs, which is this program because
/// it needs only the modules that read `.wbm`: about a quarter of the code of `weighbridge`.
///
/// Usage: InterfaceGenerator MODEL.wbm OUTPUT.swift CLASS-NAME; the file has its own name in the bundle.
@main
enum InterfaceGenerator {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 3 else {
      fail("got \(arguments.count) arguments, expected MODEL.wbm OUTPUT.swift CLASS-NAME")
    }
    let (path, output, name) = (arguments[1], arguments[2], arguments[3])
    do {
      let model = try WBMModel(ByteStore(try MappedFile(path: path)), path: path)
      let interface = SwiftInterface(
        model.content, named: name, bundled: FilePath(path).name)
      var target = try AtomicFile(path: output)
      try unsafe target.append(Array(interface.source.utf8).span.bytes)
      try target.commit(replacing: true)
    } catch {
      fail("\(error)")
    }
  }

  private static func fail(_ reason: String) -> Never {
    let line = Array("error: \(reason)\n".utf8)
    _ = unsafe write(STDERR_FILENO, line, line.count)
    exit(1)
  }
}
