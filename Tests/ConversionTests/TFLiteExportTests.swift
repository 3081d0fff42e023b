import TFLiteConversion
import Testing

/// What the target has a form for. `Tests/Peers/tflite_peer.py` runs the files.
struct TFLiteExportTests {
  @Test("Every operator has a row, or is made of operators that have one")
  func table() { expectCompleteTable(TFLiteOperators.kinds) }
}
