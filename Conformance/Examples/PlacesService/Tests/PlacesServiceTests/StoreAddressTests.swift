import PlacesService
import Testing

@Suite struct StoreAddressTests {
    @Test func `an address is read as it is written`() {
        for text in ["sqlite:places.granary", "lmdb:/var/lib/places:1", "memory:"] {
            #expect(StoreAddress(text)?.description == text)
        }
    }

    @Test func `other texts are no addresses`() {
        for text in ["", "sqlite", "sqlite:", "lmdb:", "memory:name", "postgres:places"] {
            #expect(StoreAddress(text) == nil)
        }
    }
}
