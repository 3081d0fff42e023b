import Bytes
import CKernels

/// A range asymmetric numeral systems (rANS) coder for symbols of one byte.
enum RANSCoder {
  /// The number of symbols that are coded together; chunks are independent, so several cores can
  /// decode.
  static let chunkSize = 1 << 16

  /// The number of symbols of each chunk.
  static func chunks(_ count: Int) -> [Int] {
    stride(from: 0, to: count, by: chunkSize).map { min(chunkSize, count - $0) }
  }

  /// The number of lanes suitable for a number of symbols: more lanes are faster, but each takes 4
  /// bytes of every chunk.
  static func lanes(_ count: Int) -> Int { count < 1 << 11 ? 1 : count < 1 << 14 ? 4 : 32 }

  /// Encodes symbols.
  static func encode(_ symbols: ArraySlice<UInt8>, _ table: SymbolTable, lanes: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 4 * lanes + 2 * symbols.count) { buffer, count in
      count = unsafe symbols.withUnsafeBufferPointer { symbols in
        unsafe table.frequencies.withUnsafeBufferPointer { frequencies in
          // The buffer has the size of the largest possible output, as the function requires.
          unsafe rans_encode(
            symbols.baseAddress, symbols.count, frequencies.baseAddress, UInt32(lanes),
            buffer.baseAddress)
        }
      }
    }
  }

  /// Returns a table in the form that the decoder uses.
  static func slots(_ table: SymbolTable) -> [UInt32] {
    unsafe [UInt32](unsafeUninitializedCapacity: SymbolTable.sum) { buffer, count in
      _ = unsafe table.frequencies.withUnsafeBufferPointer {
        unsafe rans_make_slots($0.baseAddress, buffer.baseAddress)
      }
      count = buffer.count  // all slots are filled: frequencies add up to ``sum``
    }
  }

  /// Decodes symbols until the buffer is full; returns whether the bytes are exactly what an
  /// encoder writes for that many symbols.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, _ slots: [UInt32], lanes: Int,
    to symbols: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    unsafe slots.withUnsafeBufferPointer { slots in
      // The function stays within the bytes and the symbols.
      unsafe rans_decode(
        bytes.baseAddress, bytes.count, slots.baseAddress, UInt32(lanes), symbols.baseAddress,
        symbols.count)
    }
  }
}
