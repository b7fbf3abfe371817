//! The pages of a column, checked for what the crate `parquet` takes for granted.

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// The pages of a column that has no columns within it.
pub struct CheckedPages {
    pages: Box<dyn PageReader>,
    /// Whether values may be absent.
    is_optional: bool,
    /// Whether the dictionary has been read.
    has_dictionary: bool,
}

impl CheckedPages {
    pub fn new(pages: Box<dyn PageReader>, is_optional: bool) -> CheckedPages {
        CheckedPages { pages, is_optional, has_dictionary: false }
    }

    fn check(&mut self, page: &Page) -> Result<()> {
        let wrong = |reason: &str| Err(ParquetError::General(reason.to_owned()));
        if page.is_dictionary_page() {
            self.has_dictionary = true;
            return Ok(());
        }
        if matches!(page.encoding(), Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY) && !self.has_dictionary {
            return wrong("a page of a column comes before its dictionary");
        }
        let size = page.buffer().len();
        match page {
            Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
                if u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len) > size as u64 {
                    return wrong("a page is shorter than its levels");
                }
            }
            // Levels that are packed have a bit for each value.
            Page::DataPage { num_values, def_level_encoding, .. } => {
                if self.is_optional && *def_level_encoding != Encoding::RLE && num_values.div_ceil(8) as usize > size {
                    return wrong("a page is shorter than its levels");
                }
            }
            Page::DictionaryPage { .. } => {}
        }
        Ok(())
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            self.check(page)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}
