import Bytes
import CKernels

/// Range asymmetric numeral systems over symbols of a byte.
enum RANSCoder {
  /// How many symbols are coded on their own, so that several cores may decode.
  static let chunkSize = 1 << 16

  /// The number of symbols of each chunk.
  static func chunks(_ count: Int) -> [Int] {
    stride(from: 0, to: count, by: chunkSize).map { min(chunkSize, count - $0) }
  }

  /// The lanes that suit so many symbols: more are faster, and each takes 4 bytes of every chunk.
  static func lanes(_ count: Int) -> Int { count < 1 << 11 ? 1 : count < 1 << 14 ? 4 : 32 }

  /// Encodes symbols.
  static func encode(_ symbols: ArraySlice<UInt8>, _ table: SymbolTable, lanes: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 4 * lanes + 2 * symbols.count) { buffer, count in
      count = symbols.withUnsafeBufferPointer { symbols in
        table.frequencies.withUnsafeBufferPointer { frequencies in
          // There is room for the most that symbols can take, as the function asks for.
          rans_encode(
            symbols.baseAddress, symbols.count, frequencies.baseAddress, UInt32(lanes),
            buffer.baseAddress)
        }
      }
    }
  }

  /// A table as the decoder takes it.
  static func slots(_ table: SymbolTable) -> [UInt32] {
    [UInt32](unsafeUninitializedCapacity: SymbolTable.sum) { buffer, count in
      _ = table.frequencies.withUnsafeBufferPointer {
        rans_make_slots($0.baseAddress, buffer.baseAddress)
      }
      count = buffer.count  // frequencies add up to as many: a SymbolTable's do
    }
  }

  /// Decodes symbols into memory of their number; returns whether the bytes are what an encoder
  /// writes for so many.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, _ slots: [UInt32], lanes: Int,
    to symbols: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    slots.withUnsafeBufferPointer { slots in
      // It stays inside of the bytes and of the symbols.
      rans_decode(
        bytes.baseAddress, bytes.count, slots.baseAddress, UInt32(lanes), symbols.baseAddress,
        symbols.count)
    }
  }
}
