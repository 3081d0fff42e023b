import Bytes
import GraphIR

/// Constant data of a plan, such as prepared weights. Written once, before it is shared.
@safe final class ConstantMemory: Sendable {
  /// Owned by this object; written in `init` only, so that threads may share it.
  nonisolated(unsafe) let address: UnsafeMutableRawPointer

  /// Allocates memory that `fill` initializes.
  ///
  /// - Parameter byteCount: Its size.
  init(byteCount: Int, fill: (UnsafeMutableRawPointer) -> Void) {
    unsafe address = .allocate(
      byteCount: max(byteCount, 64), alignment: byteCount >= LargePages.size ? LargePages.size : 64)
    unsafe LargePages.use(in: UnsafeMutableRawBufferPointer(start: address, count: byteCount))
    unsafe fill(address)
  }

  deinit { unsafe address.deallocate() }

  /// The elements of a tensor in row-major order.
  convenience init(_ tensor: Tensor) {
    unsafe self.init(byteCount: tensor.byteCount) { address in
      var offset = 0
      tensor.withPieces { bytes in
        // The pieces are the tensor's bytes, so all of them fit.
        unsafe bytes.withUnsafeBytes { bytes in
          guard let source = bytes.baseAddress else { return }
          unsafe (address + offset).copyMemory(from: source, byteCount: bytes.count)
          offset += bytes.count
        }
      }
    }
  }
}
